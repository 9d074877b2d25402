/** Encodes rows of `topic_message` as subscribers get them: a ConsensusTopicResponse with its header each. */
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { decodeEntityId } from '../../ledger/entity-id.ts';
import { NANOS_PER_SECOND, type Nanos } from '../../ledger/timestamp.ts';
import { TransactionID } from '../../protobuf/generated/services/basic_types.ts';
import type { Timestamp } from '../../protobuf/generated/services/timestamp.ts';
import { HEADER_BYTES } from '../length-prefixed.ts';
import type { TopicMessageRow } from './topic-message.ts';

/** Version of the running hash that rows without one have. */
const DEFAULT_RUNNING_HASH_VERSION = 3;
const NO_BYTES = new Uint8Array(0);
/** More than tags, lengths and numbers of a message take. */
const OVERHEAD_BYTES = 80;
const FIRST_BYTES = 65_536;
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

const varintLength = (value: number): number => (value < 0x80 ? 1 : 1 + varintLength(Math.floor(value / 0x80)));

/** Tags of the fields of a ConsensusTopicResponse, a Timestamp, and a ConsensusMessageChunkInfo. */
const tags = {
  consensusTimestamp: 0x0a,
  message: 0x12,
  runningHash: 0x1a,
  sequenceNumber: 0x20,
  runningHashVersion: 0x28,
  chunkInfo: 0x32,
  seconds: 0x08,
  nanos: 0x10,
  initialTransactionID: 0x0a,
  total: 0x10,
  number: 0x18,
} as const;

const timestampOf = (nanos: Nanos): Timestamp => ({
  seconds: nanos / NANOS_PER_SECOND,
  nanos: Number(nanos % NANOS_PER_SECOND),
});

/** The id as it was stored; bytes that are none count as not there. */
const storedTransactionId = (bytes: Uint8Array | null): TransactionID | undefined => {
  if (bytes === null || bytes.length === 0) return undefined;
  try {
    return TransactionID.decode(bytes);
  } catch {
    return undefined;
  }
};

const transactionIdOf = (row: TopicMessageRow): TransactionID | undefined => {
  const stored = storedTransactionId(row.initialTransactionId);
  if (stored !== undefined) return stored;
  if (row.payerAccountId === null || row.validStartTimestamp === null) return undefined;
  const { shard, realm, num } = decodeEntityId(row.payerAccountId);
  return {
    transactionValidStart: timestampOf(row.validStartTimestamp),
    accountID: { shardNum: shard, realmNum: realm, account: { $case: 'accountNum', accountNum: num } },
    scheduled: false,
    nonce: 0,
  };
};

/**
 * Writes frames one after the other, as the codec of ConsensusTopicResponse would: thousands of them stand between a commit
 * and its subscribers.
 */
export class TopicFrames {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #position = 0;
  /** Its memory is used again for every message. */
  readonly #writer = new BinaryWriter();

  /** Bytes written since the last `take`. */
  get length(): number {
    return this.#position;
  }

  add(row: TopicMessageRow): void {
    const { message, runningHash } = row;
    const transactionId = row.chunkNum === null ? undefined : this.#transactionId(row);
    this.#makeRoom(HEADER_BYTES + OVERHEAD_BYTES + message.length + runningHash.length + (transactionId?.length ?? 0));
    const start = this.#position;
    this.#position += HEADER_BYTES;
    this.#timestamp(row.consensusTimestamp);
    if (message.length > 0) this.#field(tags.message, message);
    if (runningHash.length > 0) this.#field(tags.runningHash, runningHash);
    this.#long(tags.sequenceNumber, row.sequenceNumber);
    this.#number(tags.runningHashVersion, row.runningHashVersion ?? DEFAULT_RUNNING_HASH_VERSION);
    if (transactionId !== undefined) this.#chunkInfo(row, transactionId);
    this.#bytes.writeUInt8(0, start);
    this.#bytes.writeUInt32BE(this.#position - start - HEADER_BYTES, start + 1);
  }

  /** What was written, in memory of its own, since it may be kept for long; the next `add` begins anew. */
  take(): Uint8Array {
    const bytes = Buffer.allocUnsafeSlow(this.#position);
    this.#bytes.copy(bytes, 0, 0, this.#position);
    this.#position = 0;
    return bytes;
  }

  /** Written anew even where it is stored, as clients may read more strictly. */
  #transactionId(row: TopicMessageRow): Uint8Array {
    const id = transactionIdOf(row);
    return id === undefined ? NO_BYTES : TransactionID.encode(id, this.#writer).finish();
  }

  #makeRoom(length: number): void {
    const needed = this.#position + length;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#position);
    this.#bytes = larger;
  }

  #timestamp(time: Nanos): void {
    this.#bytes[this.#position++] = tags.consensusTimestamp;
    const start = ++this.#position;
    const { seconds, nanos } = timestampOf(time);
    this.#long(tags.seconds, seconds);
    this.#number(tags.nanos, nanos);
    this.#bytes[start - 1] = this.#position - start;
  }

  #chunkInfo({ chunkNum, chunkTotal }: TopicMessageRow, transactionId: Uint8Array): void {
    const start = this.#position;
    if (transactionId.length > 0) this.#field(tags.initialTransactionID, transactionId);
    this.#number(tags.total, chunkTotal ?? 0);
    this.#number(tags.number, chunkNum ?? 0);
    // The length comes before the content, which so has to move.
    const length = this.#position - start;
    const begin = start + 1 + varintLength(length);
    this.#bytes.copyWithin(begin, start, this.#position);
    this.#position = start;
    this.#bytes[this.#position++] = tags.chunkInfo;
    this.#varint(length);
    this.#position = begin + length;
  }

  #field(tag: number, content: Uint8Array): void {
    this.#bytes[this.#position++] = tag;
    this.#varint(content.length);
    this.#bytes.set(content, this.#position);
    this.#position += content.length;
  }

  /** Zero is not written. */
  #number(tag: number, value: number): void {
    if (value < 0) this.#long(tag, BigInt(value));
    else if (value > 0) {
      this.#bytes[this.#position++] = tag;
      this.#varint(value);
    }
  }

  /** Zero is not written. */
  #long(tag: number, value: bigint): void {
    if (value >= 0n && value <= MAX_SAFE) {
      this.#number(tag, Number(value));
      return;
    }
    this.#bytes[this.#position++] = tag;
    this.#bigVarint(BigInt.asUintN(64, value));
  }

  #varint(value: number): void {
    const bytes = this.#bytes;
    let rest = value;
    while (rest >= 0x8000_0000) {
      bytes[this.#position++] = (rest % 0x80) + 0x80;
      rest = Math.floor(rest / 0x80);
    }
    while (rest >= 0x80) {
      bytes[this.#position++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    bytes[this.#position++] = rest;
  }

  #bigVarint(value: bigint): void {
    let rest = value;
    while (rest >= 0x80n) {
      this.#bytes[this.#position++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#bytes[this.#position++] = Number(rest);
  }
}
