import type { Queryable } from '../../database/connection.ts';
import type { HapiVersion } from '../../streams/record-file-content.ts';

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
  /** Stream version of the file: 1, 2, 5, 6; 7 for blocks of a block stream. */
  readonly version: number;
  /** Of the network's services at that time; null where the file does not tell. */
  readonly hapiVersion: HapiVersion | null;
}

/** Stream version of blocks in `record_file`; wrapped record blocks have the one of their record file. */
const BLOCK_STREAM_VERSION = 7;

/** Whether the block is one of a block stream, and no record file, wrapped or not. */
export const isBlockStream = ({ version }: Pick<ChainPosition, 'version'>): boolean => version === BLOCK_STREAM_VERSION;

interface PositionRow {
  readonly name: string;
  readonly consensus_end: string;
  readonly hash: string;
  readonly index: string;
  readonly version: number;
  readonly major: number | null;
  readonly minor: number | null;
  readonly patch: number | null;
}

/** The newest `record_file`; undefined in an empty database. */
export const readChainPosition = async (database: Queryable): Promise<ChainPosition | undefined> => {
  const [row] = await database.query<PositionRow>(
    'select name, consensus_end, hash, index, version, hapi_version_major as major, hapi_version_minor as minor, ' +
      'hapi_version_patch as patch from record_file order by consensus_end desc limit 1',
  );
  if (row === undefined) return undefined;
  const { major, minor, patch } = row;
  return {
    name: row.name,
    consensusEnd: BigInt(row.consensus_end),
    hash: row.hash,
    index: BigInt(row.index),
    version: row.version,
    hapiVersion: major === null || minor === null || patch === null ? null : { major, minor, patch },
  };
};
