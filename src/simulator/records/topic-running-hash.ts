import { sha384 } from '../../ledger/hash.ts';
import { NANOS_PER_SECOND } from '../../ledger/timestamp.ts';

// The network hashes a Java object stream of: byte array, twelve numbers in one block of data, byte array.
const STREAM_AND_ARRAY_CLASS = Buffer.from('aced0005757200025b42acf317f8060854e00200007870', 'hex');
const SAME_ARRAY_CLASS = Buffer.from('7571007e0000', 'hex');
const HASH_LENGTH = Buffer.from('00000030', 'hex');
const NUMBERS_BYTES = 76;
const VERSION = 3n;

export interface TopicMessagePosition {
  /** Running hash before the message, 48 bytes; zeros for the first. */
  readonly previous: Uint8Array;
  readonly payer: bigint;
  readonly topic: bigint;
  /** Nanoseconds. */
  readonly consensusTimestamp: bigint;
  readonly sequence: bigint;
  /** SHA-384 of the message. */
  readonly messageHash: Uint8Array;
}

/** Running hash of a topic after a message, version 3 (with the payer), in shard 0, realm 0. */
export const topicRunningHash = (message: TopicMessagePosition): Uint8Array => {
  const numbers = Buffer.alloc(2 + NUMBERS_BYTES);
  numbers[0] = 0x77;
  numbers[1] = NUMBERS_BYTES;
  numbers.writeBigInt64BE(VERSION, 2);
  numbers.writeBigInt64BE(message.payer, 2 + 24);
  numbers.writeBigInt64BE(message.topic, 2 + 48);
  numbers.writeBigInt64BE(message.consensusTimestamp / NANOS_PER_SECOND, 2 + 56);
  numbers.writeInt32BE(Number(message.consensusTimestamp % NANOS_PER_SECOND), 2 + 64);
  numbers.writeBigInt64BE(message.sequence, 2 + 68);
  return new Uint8Array(
    sha384(
      STREAM_AND_ARRAY_CLASS,
      HASH_LENGTH,
      message.previous,
      numbers,
      SAME_ARRAY_CLASS,
      HASH_LENGTH,
      message.messageHash,
    ),
  );
};
