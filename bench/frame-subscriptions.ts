/**
 * Topic subscriptions read as plain frames over HTTP/2, without a gRPC client: what they cost is little beside what the
 * server does, so that its own share shows.
 */
import { connect } from 'node:http2';
import { ConsensusTopicQuery } from '../src/protobuf/generated/mirror/consensus_service.ts';
import { epochTime } from './figures.ts';
import { framed, HEADER_BYTES } from './grpc-client.ts';

/** A message as far as the measurement looks at it. */
export interface FrameMessage {
  readonly sequenceNumber: number;
  /** Consensus time in nanoseconds. */
  readonly at: bigint;
}

export interface FrameSubscriber {
  readonly topicNum: bigint;
  /** @param time at which it arrived, in milliseconds since the epoch */
  take(message: FrameMessage, time: number): void;
  /** The call ended, which no subscription without an end should. */
  ended(): void;
}

const NANOS = 1_000_000_000n;
/** Bytes that a client takes before it says that it has room for more. */
const WINDOW_BYTES = 1_048_576;
/** What arrived is looked at so much later, when all of its block has come: others of this process are not to wait for it. */
const LOOK_AFTER_MS = 500;

/** Reads a varint; safe integers are enough for what is read here. */
const varintAt = (bytes: Buffer, start: number): { readonly value: number; readonly next: number } => {
  let value = 0;
  let scale = 1;
  let next = start;
  for (;;) {
    const byte = bytes[next++] ?? 0;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return { value, next };
    scale *= 128;
  }
};

const timeOf = (bytes: Buffer): bigint => {
  let nanos = 0n;
  for (let position = 0; position < bytes.length; ) {
    const tag = bytes[position] ?? 0;
    const { value, next } = varintAt(bytes, position + 1);
    nanos += tag >>> 3 === 1 ? BigInt(value) * NANOS : BigInt(value);
    position = next;
  }
  return nanos;
};

/** Fields 1 and 4 of a ConsensusTopicResponse. */
const messageOf = (bytes: Buffer): FrameMessage => {
  let at = 0n;
  let sequenceNumber = 0;
  for (let position = 0; position < bytes.length; ) {
    const tag = bytes[position] ?? 0;
    const { value, next } = varintAt(bytes, position + 1);
    const isBytes = (tag & 7) === 2;
    if (tag >>> 3 === 1) at = timeOf(bytes.subarray(next, next + value));
    if (tag >>> 3 === 4) sequenceNumber = value;
    position = isBytes ? next + value : next;
  }
  return { sequenceNumber, at };
};

/** What has come for one subscriber. */
class Arrivals {
  readonly #subscriber: FrameSubscriber;
  #chunks: { readonly bytes: Buffer; readonly time: number }[] = [];
  #rest: Buffer = Buffer.alloc(0);

  constructor(subscriber: FrameSubscriber) {
    this.#subscriber = subscriber;
  }

  add(bytes: Buffer): void {
    this.#chunks.push({ bytes, time: epochTime() });
    if (this.#chunks.length === 1) setTimeout(() => this.#look(), LOOK_AFTER_MS);
  }

  #look(): void {
    const chunks = this.#chunks;
    this.#chunks = [];
    for (const { bytes, time } of chunks) this.#read(bytes, time);
  }

  #read(chunk: Buffer, time: number): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let position = 0;
    while (bytes.length - position >= HEADER_BYTES) {
      const end = position + HEADER_BYTES + bytes.readUInt32BE(position + 1);
      if (end > bytes.length) break;
      this.#subscriber.take(messageOf(bytes.subarray(position + HEADER_BYTES, end)), time);
      position = end;
    }
    this.#rest = bytes.subarray(position);
  }
}

/** Subscribes over as many connections as are needed for so many calls on each. */
export const subscribeByFrames = (
  port: number,
  subscribers: readonly FrameSubscriber[],
  callsPerConnection: number,
): void => {
  const options = { settings: { initialWindowSize: WINDOW_BYTES } };
  for (let first = 0; first < subscribers.length; first += callsPerConnection) {
    const session = connect(`http://127.0.0.1:${port}`, options);
    session.on('connect', () => session.setLocalWindowSize(WINDOW_BYTES * callsPerConnection));
    session.on('error', () => undefined);
    for (const subscriber of subscribers.slice(first, first + callsPerConnection)) {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/com.hedera.mirror.api.proto.ConsensusService/subscribeTopic',
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      const query = ConsensusTopicQuery.fromPartial({
        topicID: { shardNum: 0n, realmNum: 0n, topicNum: subscriber.topicNum },
      });
      stream.end(framed(ConsensusTopicQuery.encode(query).finish()));
      const arrivals = new Arrivals(subscriber);
      stream.on('data', (chunk: Buffer) => arrivals.add(chunk));
      stream.on('error', () => undefined);
      stream.once('close', () => subscriber.ended());
    }
  }
};
