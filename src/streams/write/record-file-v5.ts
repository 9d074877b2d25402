import { sha384 } from '../../ledger/hash.ts';
import { HASH_CLASS_ID, HASH_CLASS_VERSION, SHA384_DIGEST_TYPE } from '../hash-object.ts';
import type { HapiVersion, RecordFileItem } from '../record-file-content.ts';
import { HASH_BYTES, RECORD_ITEM_CLASS_ID, RECORD_ITEM_CLASS_VERSION, RunningHash } from '../running-hash.ts';
import type { WrittenRecordFile } from './record-file-v6.ts';

export interface RecordFileV5Content {
  readonly hapiVersion: HapiVersion;
  readonly startRunningHash: Uint8Array;
  /** At least one. */
  readonly items: readonly RecordFileItem[];
}

/** Writes a record file v5, uncompressed as networks did. */
export const writeRecordFileV5 = ({ hapiVersion, startRunningHash, items }: RecordFileV5Content): WrittenRecordFile => {
  const header = headerBytes(hapiVersion, startRunningHash);
  const running = new RunningHash(startRunningHash);
  const serialized = items.map((item) => {
    const bytes = itemBytes(item);
    running.addSerialized(bytes);
    return bytes;
  });
  const endRunningHash = running.value();
  const end = hashObjectBytes(endRunningHash);
  const bytes = Buffer.concat([header, ...serialized, end]);
  return { bytes, fileHash: sha384(bytes), metadataHash: sha384(header, end), endRunningHash };
};

/** Writes a record file v5 with the end running hash that it is said to have. */
export const writeRecordFileV5Parts = ({
  hapiVersion,
  startRunningHash,
  items,
  endRunningHash,
}: RecordFileV5Content & { readonly endRunningHash: Uint8Array }): Uint8Array =>
  Buffer.concat([headerBytes(hapiVersion, startRunningHash), ...items.map(itemBytes), hashObjectBytes(endRunningHash)]);

const headerBytes = ({ major, minor, patch }: HapiVersion, startRunningHash: Uint8Array): Buffer =>
  Buffer.concat([int32s(5, major, minor, patch, 1), hashObjectBytes(startRunningHash)]);

const itemBytes = ({ record, transaction }: RecordFileItem): Buffer =>
  Buffer.concat([
    uint64(RECORD_ITEM_CLASS_ID),
    int32s(RECORD_ITEM_CLASS_VERSION, record.length),
    record,
    int32s(transaction.length),
    transaction,
  ]);

export const int32s = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => {
    bytes.writeInt32BE(value, 4 * i);
  });
  return bytes;
};

export const uint64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
};

/** A hash in the object serialization of v5 record and signature files. */
export const hashObjectBytes = (hash: Uint8Array): Buffer =>
  Buffer.concat([uint64(HASH_CLASS_ID), int32s(HASH_CLASS_VERSION, SHA384_DIGEST_TYPE, HASH_BYTES), hash]);
