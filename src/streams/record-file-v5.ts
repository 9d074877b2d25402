import { sha384 } from '../ledger/hash.ts';
import { ByteReader } from './byte-reader.ts';
import { checkRunningHash } from './check-running-hash.ts';
import { HASH_OBJECT_BYTES, readHashObject } from './hash-object.ts';
import type { RecordFileBody, RecordFileItem } from './record-file-content.ts';
import { MAX_MESSAGE_BYTES } from './record-file-v1.ts';
import { ConsensusSpan, consensusTimestampOf } from './record-timestamps.ts';
import { RECORD_ITEM_CLASS_ID, RECORD_ITEM_CLASS_VERSION, RunningHash } from './running-hash.ts';
import type { StreamFileName } from './stream-file-name.ts';

export const V5_HEADER_BYTES = 20;
const OBJECT_STREAM_VERSION = 1;

/**
 * Record file v5, an object stream: header, start running hash, at least one item (record before transaction), end
 * running hash. The metadata hash leaves the items out.
 * @throws KagamiError STREAM_TRUNCATED, STREAM_OVERSIZED, STREAM_MALFORMED, STREAM_TRAILING_BYTES,
 * STREAM_RUNNING_HASH_MISMATCH, STREAM_WRONG_NAME.
 */
export const readRecordFileV5 = (name: StreamFileName, content: Uint8Array): RecordFileBody => {
  const reader = new ByteReader(content, name.name);
  reader.expectInt32(5, 'version');
  const hapiVersion = {
    major: reader.int32('HAPI major version'),
    minor: reader.int32('HAPI minor version'),
    patch: reader.int32('HAPI patch version'),
  };
  reader.expectInt32(OBJECT_STREAM_VERSION, 'object stream version');
  const previousHash = readHashObject(reader, 'start running hash');

  const items: RecordFileItem[] = [];
  const span = new ConsensusSpan(name);
  const running = new RunningHash(previousHash);
  while (reader.peekUint64('class id') === RECORD_ITEM_CLASS_ID) {
    const start = reader.position;
    reader.position += 8;
    reader.expectInt32(RECORD_ITEM_CLASS_VERSION, 'class version of an item');
    const record = reader.lengthPrefixed(MAX_MESSAGE_BYTES, 'record');
    const transaction = reader.lengthPrefixed(MAX_MESSAGE_BYTES, 'transaction');
    running.addSerialized(new Uint8Array(content.buffer, content.byteOffset + start, reader.position - start));
    span.add(consensusTimestampOf(record, content, name.name));
    items.push({ transaction, record });
  }
  const endStart = reader.position;
  if (items.length === 0) reader.malformed(endStart, 'a v5 file holds at least one transaction');
  const hash = readHashObject(reader, 'end running hash');
  reader.expectEnd();
  checkRunningHash(name.name, running.value(), hash);

  return {
    version: 5,
    hapiVersion,
    fileHash: sha384(content),
    metadataHash: sha384(content.subarray(0, V5_HEADER_BYTES + HASH_OBJECT_BYTES), content.subarray(endStart)),
    hash,
    previousHash,
    blockNumber: null,
    items,
    sidecars: [],
    ...span.firstToLast(),
    outOfOrder: span.outOfOrder,
  };
};
