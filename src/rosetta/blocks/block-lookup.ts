/** Finding blocks. Those before the first balance snapshot are not there: nobody could tell balances at their end. */
import type { Queryable } from '../../database/connection.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { rosettaError } from '../rosetta-error.ts';
import type { BlockIdentifier, PartialBlockIdentifier } from './identifiers.ts';

export interface Block {
  readonly identifier: BlockIdentifier;
  readonly parent: BlockIdentifier;
  /** Nanoseconds; transactions from here on, */
  readonly start: bigint;
  /** up to here are in the block, and nothing else is before the next one. */
  readonly end: bigint;
}

interface BlockRow {
  readonly index: string;
  readonly hash: string;
  readonly prev_hash: string;
  readonly consensus_start: string;
  readonly consensus_end: string;
  readonly next_start: string | null;
}

const columns = `b.index, b.hash, b.prev_hash, b.consensus_start, b.consensus_end,
  (select n.consensus_start from record_file n where n.index = b.index + 1) as next_start`;

const genesisTimestampSql = `select consensus_timestamp from account_balance where account_id = $1
  order by consensus_timestamp limit 1`;
const genesisSql = `select ${columns} from record_file b where b.consensus_end > $1 order by b.consensus_end limit 1`;
const latestSql = `select ${columns} from record_file b order by b.index desc limit 1`;
const byIndexSql = `select ${columns} from record_file b where b.index = $1`;
const byHashSql = `select ${columns} from record_file b where b.hash = $1`;

const hashText = (hash: string): string => `0x${hash}`;

const blockOf = (row: BlockRow): Block => {
  const index = Number(row.index);
  return {
    identifier: { index, hash: hashText(row.hash) },
    parent: { index: index - 1, hash: hashText(row.prev_hash) },
    start: BigInt(row.consensus_start),
    end: row.next_start === null ? BigInt(row.consensus_end) : BigInt(row.next_start) - 1n,
  };
};

export interface BlockLookup {
  /** @throws RosettaError 110 while there is no snapshot with a block after it */
  genesis(database: Queryable): Promise<Block>;
  /** @throws RosettaError 110 */
  latest(database: Queryable): Promise<Block>;
  /** @throws RosettaError 101, 110, 124 */
  find(database: Queryable, identifier: PartialBlockIdentifier): Promise<Block>;
}

/** @param treasury the account whose balance every snapshot has */
export const createBlockLookup = (treasury: EntityId): BlockLookup => {
  let known: { readonly block: Block; readonly isEndFinal: boolean } | undefined;

  const readGenesis = async (database: Queryable): Promise<typeof known> => {
    const [snapshot] = await database.query<{ consensus_timestamp: string }>(
      genesisTimestampSql,
      [treasury],
      'rosetta-genesis-snapshot',
    );
    if (snapshot === undefined) return undefined;
    const [row] = await database.query<BlockRow>(genesisSql, [snapshot.consensus_timestamp], 'rosetta-genesis-block');
    if (row === undefined) return undefined;
    const block = blockOf(row);
    const snapshotTime = BigInt(snapshot.consensus_timestamp);
    const start = snapshotTime >= block.start ? snapshotTime + 1n : block.start;
    return { block: { ...block, parent: block.identifier, start }, isEndFinal: row.next_start !== null };
  };

  const genesis = async (database: Queryable): Promise<Block> => {
    if (known?.isEndFinal !== true) known = await readGenesis(database);
    if (known === undefined) throw rosettaError('nodeIsStarting');
    return known.block;
  };

  const find = async (database: Queryable, { index, hash }: PartialBlockIdentifier): Promise<Block> => {
    if (hash === '') throw rosettaError('invalidArgument');
    const first = await genesis(database);
    const rows = await (hash !== undefined
      ? database.query<BlockRow>(byHashSql, [hash.replace(/^0x/, '')], 'rosetta-block-by-hash')
      : index !== undefined
        ? database.query<BlockRow>(byIndexSql, [index], 'rosetta-block-by-index')
        : database.query<BlockRow>(latestSql, [], 'rosetta-block-latest'));
    const block = rows[0] && blockOf(rows[0]);
    if (block === undefined || block.identifier.index < first.identifier.index) throw rosettaError('blockNotFound');
    if (index !== undefined && block.identifier.index !== index) throw rosettaError('blockNotFound');
    return block.identifier.index === first.identifier.index ? { ...first, end: block.end } : block;
  };

  return { genesis, find, latest: (database) => find(database, {}) };
};
