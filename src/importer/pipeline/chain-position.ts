import type { Queryable } from '../../database/connection.ts';

/** The last block in the database: where the import goes on, and what the next file must name as its previous hash. */
export interface ChainPosition {
  /** File name of the block, as it was read. */
  readonly name: string;
  /** Nanoseconds. */
  readonly consensusEnd: bigint;
  /** Block hash, lower-case hex. */
  readonly hash: string;
  /** Block number. */
  readonly index: bigint;
  /** Stream version of the file: 1, 2, 5, 6. */
  readonly version: number;
}

interface PositionRow {
  readonly name: string;
  readonly consensus_end: string;
  readonly hash: string;
  readonly index: string;
  readonly version: number;
}

/** The newest `record_file`; undefined in an empty database. */
export const readChainPosition = async (database: Queryable): Promise<ChainPosition | undefined> => {
  const [row] = await database.query<PositionRow>(
    'select name, consensus_end, hash, index, version from record_file order by consensus_end desc limit 1',
  );
  if (row === undefined) return undefined;
  return {
    name: row.name,
    consensusEnd: BigInt(row.consensus_end),
    hash: row.hash,
    index: BigInt(row.index),
    version: row.version,
  };
};
