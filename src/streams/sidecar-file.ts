import { sha384 } from '../ledger/hash.ts';
import { TransactionSidecarRecord } from '../protobuf/generated/streams/sidecar_file.ts';
import { contentOf, MAX_CONTENT_BYTES } from './compression.ts';
import { equalBytes } from './equal-bytes.ts';
import type { SidecarMetadata } from './record-file-content.ts';
import { streamError } from './stream-error.ts';
import { parseStreamFileName } from './stream-file-name.ts';
import { timestampNanos, WireReader } from './wire.ts';

/** One sidecar record, not yet decoded. It belongs to the transaction of the same consensus timestamp. */
export interface SidecarRecord {
  readonly consensusTimestamp: bigint;
  /** Raw TransactionSidecarRecord. */
  readonly bytes: Uint8Array;
}

export interface SidecarFile {
  readonly name: string;
  readonly id: number;
  readonly types: readonly number[];
  readonly hash: Uint8Array;
  readonly records: readonly SidecarRecord[];
  /** Bytes of the file as it was read, compressed if it was. */
  readonly size: number;
  readonly bytes: Uint8Array;
}

const CONSENSUS_TIMESTAMP_FIELD = 1;
const SIDECAR_RECORDS_FIELD = 1;

/**
 * Reads a sidecar file and proves it by the hash that its (proven) record file states.
 * @throws KagamiError STREAM_WRONG_NAME, STREAM_SIDECAR_HASH_MISMATCH, STREAM_TRUNCATED, STREAM_OVERSIZED,
 * STREAM_BAD_COMPRESSION, STREAM_TRAILING_BYTES, STREAM_MALFORMED.
 */
export const readSidecarFile = (
  name: string,
  bytes: Uint8Array,
  metadata: SidecarMetadata,
  maxContentBytes = MAX_CONTENT_BYTES,
): SidecarFile => {
  const parsedName = parseStreamFileName(name);
  if (parsedName?.kind !== 'sidecar' || parsedName.sidecarId !== metadata.id) {
    throw streamError('STREAM_WRONG_NAME', { file: name, rule: `not the name of sidecar ${metadata.id}` });
  }
  const content = contentOf(parsedName.name, bytes, maxContentBytes).bytes;
  return { ...readSidecarContent(parsedName.name, content, metadata), size: bytes.length, bytes };
};

/**
 * Reads the uncompressed content of a sidecar file, as wrapped record blocks hold it, and proves it by the hash that its
 * record file states.
 * @throws KagamiError STREAM_SIDECAR_HASH_MISMATCH, STREAM_TRUNCATED, STREAM_MALFORMED.
 */
export const readSidecarContent = (file: string, content: Uint8Array, metadata: SidecarMetadata): SidecarFile => {
  if (!equalBytes(sha384(content), metadata.hash)) {
    throw streamError('STREAM_SIDECAR_HASH_MISMATCH', { file, rule: 'not the sidecar that the record file names' });
  }
  return {
    name: file,
    id: metadata.id,
    types: metadata.types,
    hash: metadata.hash,
    records: splitRecords(file, content),
    size: content.length,
    bytes: content,
  };
};

const splitRecords = (file: string, content: Uint8Array): SidecarRecord[] => {
  const records: SidecarRecord[] = [];
  const fields: WireReader = new WireReader(content, file);
  while (fields.next()) {
    if (fields.field !== SIDECAR_RECORDS_FIELD) continue;
    const message = fields.message();
    let consensusTimestamp: bigint | undefined;
    while (message.next()) {
      if (message.field === CONSENSUS_TIMESTAMP_FIELD) consensusTimestamp = timestampNanos(message);
    }
    if (consensusTimestamp === undefined) fields.refuse('a sidecar record has no consensus timestamp');
    records.push({ consensusTimestamp, bytes: fields.slice() });
  }
  return records;
};

/**
 * Decodes one sidecar record of `file`.
 * @throws KagamiError STREAM_MALFORMED.
 */
export const decodeSidecarRecord = (record: SidecarRecord, file: string): TransactionSidecarRecord => {
  try {
    return TransactionSidecarRecord.decode(record.bytes);
  } catch (error) {
    const rule = `the sidecar record of ${record.consensusTimestamp} does not decode`;
    throw streamError('STREAM_MALFORMED', { file, rule }, error);
  }
};
