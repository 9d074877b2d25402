import { sha384 } from '../../ledger/hash.ts';
import type { RecordFileItem } from '../record-file-content.ts';
import { PREVIOUS_HASH_MARKER, RECORD_MARKER } from '../record-file-v1.ts';
import { fileHashV2 } from '../record-file-v2.ts';
import { int32s } from './record-file-v5.ts';

/** HAPI version integer that every known v1 and v2 file carries. */
const HAPI_VERSION = 3;

export interface RecordFileV2Content {
  readonly version: 1 | 2;
  /** File hash of the previous file, 48 bytes. */
  readonly previousHash: Uint8Array;
  readonly items: readonly RecordFileItem[];
  /** HAPI version integer; 3, as in every known file, by default. */
  readonly hapiVersion?: number;
}

/** Writes a record file v1 or v2. */
export const writeRecordFileV2 = ({
  version,
  previousHash,
  items,
  hapiVersion = HAPI_VERSION,
}: RecordFileV2Content): { bytes: Uint8Array; fileHash: Uint8Array } => {
  const bytes = Buffer.concat([
    int32s(version, hapiVersion),
    Buffer.of(PREVIOUS_HASH_MARKER),
    previousHash,
    ...items.flatMap(({ transaction, record }) => [
      Buffer.of(RECORD_MARKER),
      int32s(transaction.length),
      transaction,
      int32s(record.length),
      record,
    ]),
  ]);
  return { bytes, fileHash: version === 1 ? sha384(bytes) : fileHashV2(bytes) };
};
