import { sha384 } from '../ledger/hash.ts';
import { checkRunningHash } from './check-running-hash.ts';
import { readHashMessage } from './hash-message.ts';
import type { HapiVersion, RecordFileBody, RecordFileItem, SidecarMetadata } from './record-file-content.ts';
import { ConsensusSpan, consensusTimestampOf } from './record-timestamps.ts';
import { RunningHash } from './running-hash.ts';
import { streamError } from './stream-error.ts';
import type { StreamFileName } from './stream-file-name.ts';
import { WireReader } from './wire.ts';

const V6_PREFIX_BYTES = 4;

/** Hash of everything but the items of a v6 file: fixed-width integers and the two running hashes. */
export const metadataHashV6 = (
  hapiVersion: HapiVersion,
  startHash: Uint8Array,
  endHash: Uint8Array,
  blockNumber: bigint,
): Uint8Array => {
  const versions = Buffer.alloc(16);
  versions.writeInt32BE(6, 0);
  versions.writeInt32BE(hapiVersion.major, 4);
  versions.writeInt32BE(hapiVersion.minor, 8);
  versions.writeInt32BE(hapiVersion.patch, 12);
  const block = Buffer.alloc(8);
  block.writeBigInt64BE(blockNumber);
  return sha384(versions, startHash, endHash, block);
};

/**
 * Record file v6: int32 6, then a RecordStreamFile message. Items are hashed as raw slices of the message, since
 * encoding them again needn't give the bytes that the network hashed.
 * @throws KagamiError STREAM_TRUNCATED, STREAM_MALFORMED, STREAM_RUNNING_HASH_MISMATCH, STREAM_WRONG_NAME.
 */
export const readRecordFileV6 = (name: StreamFileName, content: Uint8Array): RecordFileBody => {
  const file = name.name;
  const fields = new WireReader(content, file, V6_PREFIX_BYTES);
  const items: RecordFileItem[] = [];
  const sidecars: SidecarMetadata[] = [];
  let hapiVersion: HapiVersion | undefined;
  let startHash: Uint8Array | undefined;
  let endHash: Uint8Array | undefined;
  let blockNumber: bigint | undefined;
  const once = (seen: unknown): void => {
    if (seen !== undefined) fields.refuse(`field ${fields.field} occurs twice`);
  };
  while (fields.next()) {
    switch (fields.field) {
      case 1:
        once(hapiVersion);
        hapiVersion = readSemanticVersion(fields);
        break;
      case 2:
        once(startHash);
        startHash = readHashMessage(fields, 'start running hash');
        break;
      case 3:
        items.push(readItem(fields));
        break;
      case 4:
        once(endHash);
        endHash = readHashMessage(fields, 'end running hash');
        break;
      case 5:
        once(blockNumber);
        blockNumber = fields.int64();
        break;
      case 6:
        sidecars.push(readSidecarMetadata(fields));
        break;
    }
  }
  if (hapiVersion === undefined || startHash === undefined || endHash === undefined) {
    throw streamError('STREAM_TRUNCATED', {
      file,
      offset: content.length,
      rule: 'HAPI version, start or end running hash is missing',
    });
  }

  const span = new ConsensusSpan(name);
  const running = new RunningHash(startHash);
  for (const { record, transaction } of items) {
    running.add(record, transaction);
    span.add(consensusTimestampOf(record, content, file));
  }
  checkRunningHash(file, running.value(), endHash);

  return {
    version: 6,
    hapiVersion,
    fileHash: sha384(content),
    metadataHash: metadataHashV6(hapiVersion, startHash, endHash, blockNumber ?? 0n),
    hash: endHash,
    previousHash: startHash,
    blockNumber: blockNumber ?? 0n,
    items,
    sidecars,
    ...span.leastToGreatest(),
    outOfOrder: span.outOfOrder,
  };
};

const readItem = (fields: WireReader): RecordFileItem => {
  const item = fields.message();
  let transaction: Uint8Array | undefined;
  let record: Uint8Array | undefined;
  while (item.next()) {
    if (item.field === 1 && transaction === undefined) transaction = item.slice();
    else if (item.field === 2 && record === undefined) record = item.slice();
    // Anything else wouldn't enter the running hash, so it could be changed unseen.
    else item.refuse(`field ${item.field} in an item that holds one transaction and one record`);
  }
  if (transaction === undefined || record === undefined) fields.refuse('an item lacks its transaction or its record');
  return { transaction, record };
};

const readSemanticVersion = (fields: WireReader): HapiVersion => {
  const message = fields.message();
  const version = { major: 0, minor: 0, patch: 0 };
  while (message.next()) {
    if (message.field === 1) version.major = message.int32();
    else if (message.field === 2) version.minor = message.int32();
    else if (message.field === 3) version.patch = message.int32();
  }
  return version;
};

const readSidecarMetadata = (fields: WireReader): SidecarMetadata => {
  const message = fields.message();
  const types: number[] = [];
  let id = 0;
  let hash: Uint8Array | undefined;
  while (message.next()) {
    if (message.field === 1) hash = readHashMessage(message, 'hash of a sidecar');
    else if (message.field === 2) id = message.int32();
    else if (message.field === 3) types.push(...readEnums(message));
  }
  if (hash === undefined) fields.refuse('a sidecar has no hash');
  return { id, types, hash };
};

/** A repeated enum, packed or not. */
const readEnums = (fields: WireReader): number[] => {
  if (fields.wireType === 0) return [fields.int32()];
  const values: number[] = [];
  let value = 0;
  let shift = 0;
  for (const byte of fields.slice()) {
    if (shift < 32) value |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte < 0x80) {
      values.push(value);
      value = 0;
      shift = 0;
    }
  }
  if (shift !== 0) fields.refuse('a packed list of sidecar types ends inside a number');
  return values;
};
