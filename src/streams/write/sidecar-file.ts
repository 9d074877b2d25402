import { gzipSync } from 'node:zlib';
import { sha384 } from '../../ledger/hash.ts';
import type { SidecarMetadata } from '../record-file-content.ts';
import { fieldBytes, WireWriter } from './wire-writer.ts';

export interface SidecarFileContent {
  /** Number of the sidecar within its record file, from 1. */
  readonly id: number;
  /** 1 contract state change, 2 contract action, 3 contract bytecode: the kinds that `records` holds. */
  readonly types: readonly number[];
  /** Serialized TransactionSidecarRecord messages. */
  readonly records: readonly Uint8Array[];
}

const RECORDS_FIELD = 1;

/** Writes a sidecar file, and what the record file has to state of it. */
export const writeSidecarFile = ({
  id,
  types,
  records,
}: SidecarFileContent): { bytes: Uint8Array; metadata: SidecarMetadata } => {
  let size = 0;
  for (const record of records) size += fieldBytes(record.length);
  const writer = new WireWriter(Buffer.allocUnsafe(size));
  for (const record of records) writer.bytes(RECORDS_FIELD, record);
  return { bytes: gzipSync(writer.buffer, { level: 1 }), metadata: { id, types, hash: sha384(writer.buffer) } };
};
