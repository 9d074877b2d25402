import { sha384 } from '../ledger/hash.ts';
import { ByteReader } from './byte-reader.ts';
import type { RecordFileBody, RecordFileItem } from './record-file-content.ts';
import { ConsensusSpan, consensusTimestampOf } from './record-timestamps.ts';
import { HASH_BYTES } from './running-hash.ts';
import type { StreamFileName } from './stream-file-name.ts';

export const PREVIOUS_HASH_MARKER = 1;
export const RECORD_MARKER = 2;

/** Version, HAPI version, marker and previous file hash: what stands before the items of v1 and v2. */
export const V2_HEADER_BYTES = 4 + 4 + 1 + HASH_BYTES;

/** Longest transaction or record that files up to v5 may hold, in bytes. */
export const MAX_MESSAGE_BYTES = 64 * 1024;

/**
 * Record file v1: header, then items to the end of the file. Its hash covers the whole file.
 * @throws KagamiError STREAM_TRUNCATED, STREAM_OVERSIZED, STREAM_MALFORMED, STREAM_WRONG_NAME.
 */
export const readRecordFileV1 = (name: StreamFileName, content: Uint8Array): RecordFileBody =>
  readMarkedItems(name, content, 1, sha384(content));

/** The layout that v1 and v2 share; only their hashes differ. */
export const readMarkedItems = (
  name: StreamFileName,
  content: Uint8Array,
  version: 1 | 2,
  fileHash: Uint8Array,
): RecordFileBody => {
  const reader = new ByteReader(content, name.name);
  reader.expectInt32(version, 'version');
  reader.int32('HAPI version');
  reader.expectUint8(PREVIOUS_HASH_MARKER, 'marker of the previous hash');
  const previousHash = reader.slice(HASH_BYTES, 'previous hash');
  const items: RecordFileItem[] = [];
  const span = new ConsensusSpan(name);
  while (!reader.atEnd) {
    reader.expectUint8(RECORD_MARKER, 'marker of a record');
    const transaction = reader.lengthPrefixed(MAX_MESSAGE_BYTES, 'transaction');
    const record = reader.lengthPrefixed(MAX_MESSAGE_BYTES, 'record');
    span.add(consensusTimestampOf(record, content, name.name));
    items.push({ transaction, record });
  }
  return {
    version,
    hapiVersion: null,
    fileHash,
    metadataHash: null,
    hash: fileHash,
    previousHash,
    blockNumber: null,
    items,
    sidecars: [],
    ...span.firstToLast(),
    outOfOrder: span.outOfOrder,
  };
};
