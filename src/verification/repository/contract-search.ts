/** Verified contracts in the database: reading. */
import type { Queryable } from '../../database/connection.ts';
import { addressBytes } from '../chain/address.ts';
import type { ContractIdentity } from '../chain/chain.ts';
import type { StoredContract } from '../model.ts';
import type { ListQuery } from '../verifier.ts';
import { type ContractRow, contractColumns, runtimePrefix, type SourceRow, storedContract } from './stored-rows.ts';

const MOST_SIMILAR = 20;

const sourcesQuery = `select s.match_id, s.path, s.hash, t.content
  from kagami.verified_contract_source s join kagami.verified_source t using (hash)
  where s.match_id = any($1) order by s.match_id, s.position`;

/** Contracts of the mirrored network whose address now belongs to another one are history. */
const stillStands = `(v.contract_id is null or exists (select from entity e
  where e.id = v.contract_id and e.created_timestamp is not distinct from v.created_timestamp))`;

const isFull = "(v.runtime_match is not distinct from 'perfect' or v.creation_match is not distinct from 'perfect')";

const matchConditions = { any: 'true', full: isFull, partial: `not ${isFull}` };

const withSources = async (db: Queryable, rows: readonly ContractRow[]): Promise<StoredContract[]> => {
  if (rows.length === 0) return [];
  const sources = await db.query<SourceRow>(sourcesQuery, [rows.map(({ match_id: id }) => id)], 'verified-sources');
  const byContract = Map.groupBy(sources, ({ match_id: id }) => id);
  return rows.map((row) => storedContract(row, byContract.get(row.match_id) ?? []));
};

const selectRows = async (db: Queryable, rest: string, values: readonly unknown[]): Promise<StoredContract[]> =>
  withSources(
    db,
    await db.query<ContractRow>(`select ${contractColumns} from kagami.verified_contract v ${rest}`, values),
  );

export const findByMatchId = async (db: Queryable, matchId: string): Promise<StoredContract | undefined> =>
  (await selectRows(db, 'where v.match_id = $1', [matchId]))[0];

export const findContract = async (
  db: Queryable,
  chainId: string,
  { address, createdTimestamp }: ContractIdentity,
): Promise<StoredContract | undefined> => {
  const condition = 'v.chain_id = $1 and v.address = $2 and v.created_timestamp is not distinct from $3::bigint';
  const values = [chainId, Buffer.from(addressBytes(address) ?? []), createdTimestamp];
  return (await selectRows(db, `where ${condition}`, values))[0];
};

export const listContracts = (db: Queryable, query: ListQuery): Promise<StoredContract[]> => {
  const { chainId, match, order, limit, offset = 0, after } = query;
  const direction = order === 'desc' ? 'desc' : 'asc';
  const beyond = after === undefined ? 'true' : `v.match_id ${direction === 'desc' ? '<' : '>'} $4::bigint`;
  const conditions = ['v.chain_id = $1', matchConditions[match], stillStands, beyond].join(' and ');
  const values = [chainId, limit, offset, ...(after === undefined ? [] : [after])];
  return selectRows(db, `where ${conditions} order by v.match_id ${direction} limit $2 offset $3`, values);
};

export const countContracts = async (
  db: Queryable,
  { chainId, match }: Pick<ListQuery, 'chainId' | 'match'>,
): Promise<number> => {
  const conditions = ['v.chain_id = $1', matchConditions[match], stillStands].join(' and ');
  const statement = `select count(*)::int as count from kagami.verified_contract v where ${conditions}`;
  const [row] = await db.query<{ count: number }>(statement, [chainId]);
  return row?.count ?? 0;
};

/** @param runtimeBytecode 0x and hex digits */
export const similarContracts = (db: Queryable, runtimeBytecode: string): Promise<StoredContract[]> =>
  selectRows(
    db,
    `where v.runtime_prefix = $1 and length(v.runtime_prefix) > 0
     order by ${isFull} desc, v.verified_at desc, v.match_id desc limit ${MOST_SIMILAR}`,
    [runtimePrefix(runtimeBytecode)],
  );
