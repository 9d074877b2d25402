/**
 * Which transactions a list shows, as one statement, where an index holds all its filters but the time. Every branch walks
 * an index in the order of the answer and stops after a page, so that the cost does not grow with the history of an account
 * or type:
 * - no account: `transaction` by timestamp, or for each type by (type, timestamp);
 * - accounts: for each of them, what it paid for, what moved its hbar or tokens, and what moved its NFTs, merged.
 * All other filters make a sparse search: transaction-walks.ts.
 */

import { alternatives, type Bounds, type Interval } from '../../api/bounds.ts';
import type { Order } from '../../api/page.ts';
import type { PageStatement } from '../../api/resource/resource.ts';
import {
  intervalConditions,
  plannedLimit,
  type StatementBuilder,
  statementBuilder,
  whereClause,
} from '../../api/sql.ts';
import { transaction } from './transaction.ts';

export interface TransactionSearch {
  /** Undefined: any account. */
  readonly accounts: Bounds | undefined;
  readonly timestamps: Interval;
  /** Numbers of transaction types, any of which; empty: all. */
  readonly types: readonly number[];
  readonly result: 'success' | 'fail' | undefined;
  /** Only transactions with a transfer in that direction (of the account, if there is one). */
  readonly direction: 'credit' | 'debit' | undefined;
  readonly order: Order;
  readonly limit: number;
  /** Types of child transactions that may come before their parent, and so carry no parent timestamp. */
  readonly precedingTypes: readonly number[];
}

interface SearchStatement {
  readonly statement: PageStatement;
  readonly values: readonly unknown[];
}

/** The account that receives the network's fees has a transfer in nearly every transaction; the index leaves it out. */
export const unindexedAccount = 98n;

/** A range of ids of at most this many is searched id by id. */
const maxEnumeratedIds = 64n;

interface Parts {
  readonly search: TransactionSearch;
  readonly builder: StatementBuilder;
  /** Placeholder of the page size. */
  readonly limit: string;
}

/**
 * The first rows of `select` in the order of the answer, a page of them. The constant limit inside is what the planner
 * counts with, so that prepared statements get plans that stop early.
 */
const firstOf = (parts: Parts, select: string, orderBy: readonly string[]): string => {
  const { order, limit } = parts.search;
  const by = orderBy.map((column) => `${column} ${order}`).join(', ');
  return `select * from (${select} order by ${by} limit ${plannedLimit(limit)}) first_rows limit ${parts.limit}`;
};

/**
 * Whether a transaction `x` concerns its payer for paying it: not those that others caused, which the payer of their
 * parent paid for.
 */
export const concernsPayer = (builder: StatementBuilder, { precedingTypes }: TransactionSearch): string =>
  precedingTypes.length === 0
    ? '(x.nonce = 0 or x.parent_consensus_timestamp is not null)'
    : `(x.nonce = 0 or x.parent_consensus_timestamp is not null or
        x.type = any (${builder.bind(precedingTypes)}::smallint[]))`;

/** What concerns the account: `entity_transaction` tells at least of its NFTs, where the importer keeps that table. */
const concerning = (parts: Parts, account: string): string => {
  const { search, builder } = parts;
  const branch = (columns: string, table: string, conditions: readonly string[]): string => {
    const within = intervalConditions(builder, 'x.consensus_timestamp', search.timestamps);
    const select = `select ${columns} from ${table} x${whereClause([...conditions, ...within])}`;
    return `(${firstOf(parts, select, ['x.consensus_timestamp'])})`;
  };
  const once = 'distinct x.consensus_timestamp';
  const indexed = account === String(unindexedAccount) ? [] : [`x.entity_id <> ${unindexedAccount}`];
  return [
    branch('x.consensus_timestamp', 'transaction', [`x.payer_account_id = ${account}`, concernsPayer(builder, search)]),
    branch('x.consensus_timestamp', 'entity_transaction', [`x.entity_id = ${account}`]),
    branch(once, 'crypto_transfer', [`x.entity_id = ${account}`, ...indexed]),
    branch(once, 'token_transfer', [`x.account_id = ${account}`]),
  ].join(' union all ');
};

/** Ids to be searched one by one: those of `eq`, or of a small range. Undefined: search by condition. */
export const accountIds = (bounds: Bounds): readonly bigint[] | undefined => {
  const equal = alternatives(bounds);
  if (equal !== undefined) return equal;
  const { lower, upper, unequal } = bounds;
  if (lower === null || upper === null || upper - lower >= maxEnumeratedIds) return undefined;
  return Array.from({ length: upper < lower ? 0 : Number(upper - lower + 1n) }, (_, i) => lower + BigInt(i)).filter(
    (id) => !unequal.includes(id),
  );
};

const byIds = (parts: Parts, ids: readonly bigint[]): string => {
  const groups: string[] = [];
  const indexed = ids.filter((id) => id !== unindexedAccount);
  if (indexed.length > 0) {
    groups.push(
      `select m.consensus_timestamp from unnest(${parts.builder.bind(indexed)}::bigint[]) a(id)
        cross join lateral (${concerning(parts, 'a.id')}) m`,
    );
  }
  if (indexed.length < ids.length) {
    groups.push(`select m.consensus_timestamp from (${concerning(parts, String(unindexedAccount))}) m`);
  }
  return groups.join(' union all ');
};

/**
 * The type as a range from itself to itself, ordered by it first: only the index by type gives that order, while an
 * equality would let the planner walk all transactions back in time until it has met enough of a rare type.
 */
const byTypes = (parts: Parts): string => {
  const { search, builder } = parts;
  const conditions = [
    'x.type >= k.type and x.type <= k.type',
    ...intervalConditions(builder, 'x.consensus_timestamp', search.timestamps),
  ];
  const select = `select x.consensus_timestamp from transaction x${whereClause(conditions)}`;
  return `select m.consensus_timestamp from unnest(${builder.bind(search.types)}::smallint[]) k(type)
    cross join lateral (${firstOf(parts, select, ['x.type', 'x.consensus_timestamp'])}) m`;
};

const plainSearch = (parts: Parts): string => {
  const { search, builder } = parts;
  const conditions = intervalConditions(builder, 'x.consensus_timestamp', search.timestamps);
  return firstOf(parts, `select * from transaction x${whereClause(conditions)}`, ['x.consensus_timestamp']);
};

/** `candidates`: a statement that gives timestamps, more than needed and some repeatedly, but every one of the page. */
const mergedSearch = (parts: Parts, candidates: string): string => {
  const timestamps = `select distinct consensus_timestamp from (${candidates}) candidate`;
  // `limit 1` keeps the planner from joining in any other way than one probe for each timestamp.
  return `select t.* from (${firstOf(parts, timestamps, ['consensus_timestamp'])}) p
    cross join lateral (select * from transaction where consensus_timestamp = p.consensus_timestamp limit 1) t`;
};

/** The statement for a page of a search that is not sparse; undefined when nothing can match. */
export const searchStatement = (search: TransactionSearch): SearchStatement | undefined => {
  const builder = statementBuilder();
  const parts: Parts = { search, builder, limit: builder.bind(search.limit) };
  const statement = (page: string): SearchStatement => ({
    statement: transaction.statement(page, `p.consensus_timestamp ${search.order}`),
    values: builder.values,
  });
  if (search.accounts === undefined) {
    return statement(search.types.length > 0 ? mergedSearch(parts, byTypes(parts)) : plainSearch(parts));
  }
  const ids = accountIds(search.accounts) ?? [];
  return ids.length === 0 ? undefined : statement(mergedSearch(parts, byIds(parts, ids)));
};

/**
 * Whether matches may lie far apart in what a walk through an index meets: where a filter holds that the index doesn't.
 * Only the order by time alone, by type and by account stand in indexes.
 */
export const isSparse = ({
  accounts,
  types,
  result,
  direction,
}: Pick<TransactionSearch, 'accounts' | 'types' | 'result' | 'direction'>): boolean => {
  if (result !== undefined || direction !== undefined) return true;
  if (accounts === undefined) return false;
  const ids = accountIds(accounts);
  return ids === undefined || (ids.length > 0 && (types.length > 0 || ids.includes(unindexedAccount)));
};
