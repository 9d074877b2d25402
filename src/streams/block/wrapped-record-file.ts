import { nanosToStreamName } from '../../ledger/timestamp.ts';
import { readHashMessage } from '../hash-message.ts';
import { recordFileOf } from '../record-file.ts';
import type { HapiVersion, RecordFile, RecordFileItem } from '../record-file-content.ts';
import { consensusTimestampOf } from '../record-timestamps.ts';
import { readSidecarContent, type SidecarFile } from '../sidecar-file.ts';
import { streamError } from '../stream-error.ts';
import { timestampNanos, WireReader } from '../wire.ts';
import { writeRecordFileV2 } from '../write/record-file-v2.ts';
import { int32s, writeRecordFileV5Parts } from '../write/record-file-v5.ts';
import { type Block, BlockItemField } from './block.ts';

/** A record file as a block wraps it. */
export interface WrappedRecordFile {
  /**
   * The file rebuilt, byte for byte what its nodes signed: name from its creation time, `size` uncompressed. Its items are
   * the ones that were signed, without amendments.
   */
  readonly recordFile: RecordFile;
  readonly sidecars: readonly SidecarFile[];
  /** Corrected and missing transactions, which nobody signed but the block's own tree; see `amendedItems`. */
  readonly amendments: readonly RecordFileItem[];
}

/**
 * Rebuilds the record file that a RecordFileItem {1 creation_time, 2 record_file_contents, 3 sidecar_file_contents,
 * 4 amendments} holds, in the format that the block's proof names, and checks everything that `readRecordFile` checks, and
 * the hashes of the sidecars.
 * @throws KagamiError as `readRecordFile`; STREAM_UNKNOWN_VERSION for other formats than 2, 5 and 6,
 * STREAM_SIDECAR_HASH_MISMATCH.
 */
export const readWrappedRecordFile = (file: string, payload: Uint8Array, version: number): WrappedRecordFile => {
  const fields = new WireReader(payload, file);
  const sidecarContents: Uint8Array[] = [];
  const amendments: RecordFileItem[] = [];
  let creationTime: bigint | undefined;
  let contents: Uint8Array | undefined;
  while (fields.next()) {
    if (fields.field === 1 && creationTime === undefined) creationTime = timestampNanos(fields);
    else if (fields.field === 2 && contents === undefined) contents = fields.slice();
    else if (fields.field === 3) sidecarContents.push(fields.slice());
    else if (fields.field === 4) amendments.push(readItem(fields));
    else fields.refuse(`field ${fields.field} in a record file item`);
  }
  if (creationTime === undefined || contents === undefined) {
    throw streamError('STREAM_MALFORMED', { file, rule: 'a record file item lacks its creation time or its content' });
  }
  if (creationTime < 0n) {
    throw streamError('STREAM_MALFORMED', { file, rule: `a record file created at ${creationTime} ns has no name` });
  }
  const base = nanosToStreamName(creationTime);
  const name = {
    name: `${base}.rcd`,
    base,
    kind: 'record',
    nanos: creationTime,
    compressed: false,
    sidecarId: 0,
  } as const;
  const content = rebuild(file, contents, version);
  const recordFile = recordFileOf(name, { bytes: content, compression: 'none' }, content.length);
  return { recordFile, sidecars: readSidecars(file, recordFile, sidecarContents), amendments };
};

/**
 * The items of a wrapped record file with its amendments: one with the consensus time of an item replaces it, others
 * stand where their time puts them.
 */
export const amendedItems = ({ recordFile, amendments }: WrappedRecordFile): readonly RecordFileItem[] => {
  if (amendments.length === 0) return recordFile.items;
  const timeOf = ({ record }: RecordFileItem): bigint => consensusTimestampOf(record, record, recordFile.name);
  const replacements = new Map(amendments.map((item) => [timeOf(item), item]));
  const items = recordFile.items.map((item) => {
    const time = timeOf(item);
    const replacement = replacements.get(time);
    replacements.delete(time);
    return { time, item: replacement ?? item };
  });
  const insertions = [...replacements].sort(([a], [b]) => (a < b ? -1 : 1));
  const amended: RecordFileItem[] = [];
  let inserted = 0;
  for (const { time, item } of items) {
    for (let next = insertions[inserted]; next !== undefined && next[0] < time; next = insertions[inserted]) {
      amended.push(next[1]);
      inserted++;
    }
    amended.push(item);
  }
  return [...amended, ...insertions.slice(inserted).map(([, item]) => item)];
};

/**
 * What a wrapped record block brings into rows beside what its nodes signed, in words; undefined when that is nothing. A file
 * is named after its first transaction, before which records of others may stand.
 */
export const unsignedPartOf = (
  { number, items }: Pick<Block, 'number' | 'items'>,
  { recordFile, amendments }: WrappedRecordFile,
): string | undefined => {
  if (amendments.length > 0) return 'amendments';
  if (number === 0n && items.some(({ field }) => field === BlockItemField.stateChanges)) return 'a state to begin with';
  const { name } = recordFile;
  const isNamesake = ({ record }: RecordFileItem): boolean =>
    `${nanosToStreamName(consensusTimestampOf(record, record, name))}.rcd` === name;
  return recordFile.items.some(isNamesake) ? undefined : 'a name';
};

const rebuild = (file: string, contents: Uint8Array, version: number): Uint8Array => {
  if (version === 6) return Buffer.concat([int32s(6), contents]);
  const parts = readContents(file, contents);
  if (version === 5) return writeRecordFileV5Parts(parts);
  if (version === 2) {
    const { hapiVersion, startRunningHash, items } = parts;
    return writeRecordFileV2({
      version: 2,
      previousHash: startRunningHash,
      items,
      // The one integer that files of version 2 state stands in the minor version.
      hapiVersion: hapiVersion.minor,
    }).bytes;
  }
  throw streamError('STREAM_UNKNOWN_VERSION', { file, rule: `record file version ${version} in a block` });
};

interface RecordFileParts {
  readonly hapiVersion: HapiVersion;
  readonly startRunningHash: Uint8Array;
  readonly endRunningHash: Uint8Array;
  readonly items: readonly RecordFileItem[];
}

/** RecordStreamFile {1 hapi_proto_version, 2 start hash, 3 items, 4 end hash}, as far as older formats hold it. */
const readContents = (file: string, contents: Uint8Array): RecordFileParts => {
  const fields = new WireReader(contents, file);
  const items: RecordFileItem[] = [];
  const hapiVersion = { major: 0, minor: 0, patch: 0 };
  let startRunningHash: Uint8Array | undefined;
  let endRunningHash: Uint8Array | undefined;
  while (fields.next()) {
    switch (fields.field) {
      case 1: {
        const version = fields.message();
        while (version.next()) {
          if (version.field === 1) hapiVersion.major = version.int32();
          else if (version.field === 2) hapiVersion.minor = version.int32();
          else if (version.field === 3) hapiVersion.patch = version.int32();
        }
        break;
      }
      case 2:
        startRunningHash = readHashMessage(fields, 'start running hash');
        break;
      case 3:
        items.push(readItem(fields));
        break;
      case 4:
        endRunningHash = readHashMessage(fields, 'end running hash');
        break;
      // The block number, which older files don't state.
      case 5:
        break;
      default:
        fields.refuse(`field ${fields.field} in a record file of an older format`);
    }
  }
  if (startRunningHash === undefined) {
    throw streamError('STREAM_TRUNCATED', { file, rule: 'the start running hash is missing' });
  }
  return { hapiVersion, startRunningHash, endRunningHash: endRunningHash ?? new Uint8Array(48), items };
};

/** RecordStreamItem {1 transaction, 2 record}. */
const readItem = (fields: WireReader): RecordFileItem => {
  const item = fields.message();
  let transaction: Uint8Array | undefined;
  let record: Uint8Array | undefined;
  while (item.next()) {
    if (item.field === 1 && transaction === undefined) transaction = item.slice();
    else if (item.field === 2 && record === undefined) record = item.slice();
    else item.refuse(`field ${item.field} in an item that holds one transaction and one record`);
  }
  if (transaction === undefined || record === undefined) fields.refuse('an item lacks its transaction or its record');
  return { transaction, record };
};

/** Sidecars stand in the order of their ids, which count from 1. */
const readSidecars = (file: string, recordFile: RecordFile, contents: readonly Uint8Array[]): SidecarFile[] => {
  const byId = new Map(recordFile.sidecars.map((metadata) => [metadata.id, metadata]));
  if (byId.size !== contents.length) {
    const rule = `${contents.length} sidecars in the block, the record file names ${byId.size}`;
    throw streamError('STREAM_SIDECAR_HASH_MISMATCH', { file, rule });
  }
  const base = recordFile.name.slice(0, -'.rcd'.length);
  return contents.map((content, index) => {
    const id = index + 1;
    const name = `${base}_${String(id).padStart(2, '0')}.rcd`;
    const metadata = byId.get(id);
    if (metadata === undefined) {
      throw streamError('STREAM_SIDECAR_HASH_MISMATCH', { file: name, rule: 'the record file names no such sidecar' });
    }
    return readSidecarContent(name, content, metadata);
  });
};
