/**
 * Topic subscriptions read as plain frames over HTTP/2, without a gRPC client: what they cost is little beside what the
 * server does, so that its own share shows.
 */
import { connect } from 'node:http2';
import { ConsensusTopicQuery } from '../src/protobuf/generated/mirror/consensus_service.ts';

/** A message as far as the measurement looks at it. */
export interface FrameMessage {
  readonly sequenceNumber: number;
  /** Consensus time in nanoseconds. */
  readonly at: bigint;
}

export interface FrameSubscriber {
  readonly topicNum: bigint;
  take(message: FrameMessage): void;
  /** The call ended, which no subscription without an end should. */
  ended(): void;
}

const HEADER_BYTES = 5;
const NANOS = 1_000_000_000n;
/** Bytes that a client takes before it says that it has room for more. */
const WINDOW_BYTES = 1_048_576;

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

const framed = (bytes: Uint8Array): Buffer => {
  const frame = Buffer.alloc(HEADER_BYTES + bytes.length);
  frame.writeUInt32BE(bytes.length, 1);
  frame.set(bytes, HEADER_BYTES);
  return frame;
};

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
      let rest: Buffer = Buffer.alloc(0);
      stream.on('data', (chunk: Buffer) => {
        const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
        let position = 0;
        while (bytes.length - position >= HEADER_BYTES) {
          const end = position + HEADER_BYTES + bytes.readUInt32BE(position + 1);
          if (end > bytes.length) break;
          subscriber.take(messageOf(bytes.subarray(position + HEADER_BYTES, end)));
          position = end;
        }
        rest = bytes.subarray(position);
      });
      stream.on('error', () => undefined);
      stream.once('close', () => subscriber.ended());
    }
  }
};
