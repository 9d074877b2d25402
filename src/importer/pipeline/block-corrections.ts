/** Puts the rows of wrapped record blocks right that turned out to have been altered where no node had signed them. */
import type { Queryable } from '../../database/connection.ts';
import { fromHex } from '../../ledger/bytes.ts';
import type { BlockCorrection } from '../../sources/verified-record-files.ts';

/** What the database holds of a block that may be a wrapped record block. */
export interface KeptBlock {
  /** Of the record file: end running hash or file hash. */
  readonly recordHash: Uint8Array;
  /** Root hash of the wrapped record block; null where it came as a record file, or is a block of a block stream. */
  readonly rootHash: Uint8Array | null;
}

/** Undefined when the database has no block of that number. */
export const readKeptBlock = async (database: Queryable, number: bigint): Promise<KeptBlock | undefined> => {
  const [row] = await database.query<{ hash: string; root: Buffer | null }>(
    'select hash, wrapped_record_block_hash as root from record_file where index = $1',
    [number],
  );
  return row === undefined
    ? undefined
    : { recordHash: fromHex(row.hash) ?? new Uint8Array(0), rootHash: row.root && new Uint8Array(row.root) };
};

/** Names of sidecar files follow from the one of their record file. */
const SIDECAR_NAMES = `
  update sidecar_file s set name = $2 || substring(s.name from '_[0-9]+\\.rcd.*$')
  from record_file f where f.index = $1 and s.consensus_end = f.consensus_end and f.name <> $3`;

/** Changes nothing where the rows are right. */
export const correctBlocks = async (database: Queryable, corrections: readonly BlockCorrection[]): Promise<void> => {
  for (const { number, rootHash, whole } of corrections) {
    if (whole === undefined) {
      await database.query('update record_file set wrapped_record_block_hash = $2 where index = $1', [
        number,
        bufferOf(rootHash),
      ]);
      continue;
    }
    const { name, previousRootHash } = whole;
    await database.query(SIDECAR_NAMES, [number, name.slice(0, -'.rcd'.length), name]);
    await database.query(
      `update record_file set wrapped_record_block_hash = $2, previous_wrapped_record_block_hash = $3, name = $4
       where index = $1`,
      [number, bufferOf(rootHash), bufferOf(previousRootHash), name],
    );
  }
};

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
