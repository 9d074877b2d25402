/**
 * Which transactions a list shows, as one statement. Every branch walks an index in the order of the answer and stops
 * after a page, so that the cost does not grow with the history of an account or type:
 * - no account: `transaction` by timestamp, or for each type by (type, timestamp);
 * - accounts: for each of them, what it paid for, what moved its hbar or tokens, and what moved its NFTs, merged;
 * - credits or debits: only what moved hbar or tokens.
 */
import { alternatives, type Bounds, type Interval } from '../../api/bounds.ts';
import type { Order } from '../../api/page.ts';
import {
  intervalConditions,
  type StatementBuilder,
  statementBuilder,
  statementName,
  whereClause,
} from '../../api/sql.ts';
import { responseCodeNumber } from '../../ledger/response-code.ts';
import { pageStatement } from './transaction-page.ts';

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

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Absent: not to be prepared, since its plan depends on the values. */
  readonly name?: string;
}

const successfulResults = ['SUCCESS', 'SUCCESS_BUT_MISSING_EXPECTED_OPERATION', 'FEE_SCHEDULE_FILE_PART_UPLOADED'].map(
  responseCodeNumber,
);

/** The account that receives the network's fees has a transfer in nearly every transaction; the index leaves it out. */
const unindexedAccount = 98n;

/** A range of ids of at most this many is searched id by id. */
const maxEnumeratedIds = 64n;

interface Parts {
  readonly search: TransactionSearch;
  readonly builder: StatementBuilder;
  /** Placeholder of the page size. */
  readonly limit: string;
  /** Conditions on result and type of a transaction `x`. */
  readonly kind: readonly string[];
}

const resultConditions = (search: TransactionSearch, builder: StatementBuilder): string[] => {
  if (search.result === undefined) return [];
  const operator = search.result === 'success' ? '= any' : '<> all';
  return [`x.result ${operator} (${builder.bind(successfulResults)}::smallint[])`];
};

const kindConditions = (search: TransactionSearch, builder: StatementBuilder): string[] => {
  const conditions = resultConditions(search, builder);
  if (search.types.length === 1) conditions.push(`x.type = ${builder.bind(search.types[0])}`);
  else if (search.types.length > 1) conditions.push(`x.type = any (${builder.bind(search.types)}::smallint[])`);
  return conditions;
};

/** Page sizes as the planner is told of them; the actual one is a parameter, of which it would expect the worst. */
const plannedLimits = [100, 1000, 10_000, 100_000];

/**
 * The first rows of `select` in the order of the answer, a page of them. The constant limit inside is what the planner
 * counts with, so that prepared statements get plans that stop early.
 */
const firstOf = (parts: Parts, select: string, orderBy: readonly string[]): string => {
  const { order, limit } = parts.search;
  const planned = plannedLimits.find((size) => size >= limit) ?? limit;
  const by = orderBy.map((column) => `${column} ${order}`).join(', ');
  return `select * from (${select} order by ${by} limit ${planned}) first_rows limit ${parts.limit}`;
};

/** `account`: makes the condition on the column that holds an account. */
type AccountCondition = (column: string) => string;

const paidBy = (parts: Parts, account: AccountCondition): string => {
  const own =
    parts.search.precedingTypes.length === 0
      ? '(x.nonce = 0 or x.parent_consensus_timestamp is not null)'
      : `(x.nonce = 0 or x.parent_consensus_timestamp is not null or
          x.type = any (${parts.builder.bind(parts.search.precedingTypes)}::smallint[]))`;
  const conditions = [
    account('x.payer_account_id'),
    own,
    ...intervalConditions(parts.builder, 'x.consensus_timestamp', parts.search.timestamps),
    ...parts.kind,
  ];
  const select = `select x.consensus_timestamp from transaction x${whereClause(conditions)}`;
  return `(${firstOf(parts, select, ['x.consensus_timestamp'])})`;
};

const moved = (parts: Parts, table: string, conditions: readonly string[]): string => {
  const { search, builder, kind } = parts;
  const direction = search.direction === undefined ? [] : [`c.amount ${search.direction === 'credit' ? '>' : '<'} 0`];
  const all = [...conditions, ...direction, ...intervalConditions(builder, 'c.consensus_timestamp', search.timestamps)];
  // `limit 1` keeps the planner from joining in any other way than one probe for each transfer.
  const join =
    kind.length === 0
      ? ''
      : ` cross join lateral (select from transaction x where x.consensus_timestamp = c.consensus_timestamp and
          ${kind.join(' and ')} limit 1) kind`;
  const select = `select distinct c.consensus_timestamp from ${table} c${join}${whereClause(all)}`;
  return `(${firstOf(parts, select, ['c.consensus_timestamp'])})`;
};

/** What `entity_transaction` says touched the account: at least its NFTs, where the importer keeps that table. */
const touched = (parts: Parts, account: AccountCondition): string => {
  const conditions = [
    account('x.entity_id'),
    ...intervalConditions(parts.builder, 'x.consensus_timestamp', parts.search.timestamps),
    ...parts.kind,
  ];
  const select = `select x.consensus_timestamp from entity_transaction x${whereClause(conditions)}`;
  return `(${firstOf(parts, select, ['x.consensus_timestamp'])})`;
};

/** Everything that concerns the accounts of the condition. `indexed`: none of them is the one that the index leaves out. */
const concerning = (parts: Parts, account: AccountCondition | undefined, indexed: boolean): string => {
  const conditionOn = (column: string): string[] => (account === undefined ? [] : [account(column)]);
  const hbar = [...conditionOn('c.entity_id'), ...(indexed ? [`c.entity_id <> ${unindexedAccount}`] : [])];
  const branches = [
    ...(account === undefined || parts.search.direction !== undefined
      ? []
      : [paidBy(parts, account), touched(parts, account)]),
    moved(parts, 'crypto_transfer', hbar),
    moved(parts, 'token_transfer', conditionOn('c.account_id')),
  ];
  return branches.join(' union all ');
};

/** Ids to be searched one by one: those of `eq`, or of a small range. Undefined: search by condition. */
const accountIds = (bounds: Bounds): readonly bigint[] | undefined => {
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
        cross join lateral (${concerning(parts, (column) => `${column} = a.id`, true)}) m`,
    );
  }
  if (indexed.length < ids.length) {
    groups.push(
      `select m.consensus_timestamp from (${concerning(parts, (column) => `${column} = ${unindexedAccount}`, false)}) m`,
    );
  }
  return groups.join(' union all ');
};

const byRange = (parts: Parts, bounds: Bounds): string => {
  const { builder } = parts;
  const interval: Interval = { lower: bounds.lower, upper: bounds.upper, excluded: bounds.unequal };
  const indexed =
    (bounds.lower !== null && bounds.lower > unindexedAccount) ||
    (bounds.upper !== null && bounds.upper < unindexedAccount) ||
    bounds.unequal.includes(unindexedAccount);
  return concerning(parts, (column) => intervalConditions(builder, column, interval).join(' and ') || 'true', indexed);
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
    ...resultConditions(search, builder),
  ];
  const select = `select x.consensus_timestamp from transaction x${whereClause(conditions)}`;
  return `select m.consensus_timestamp from unnest(${builder.bind(search.types)}::smallint[]) k(type)
    cross join lateral (${firstOf(parts, select, ['x.type', 'x.consensus_timestamp'])}) m`;
};

const plainSearch = (parts: Parts): string => {
  const { search, builder } = parts;
  const conditions = [
    ...intervalConditions(builder, 'x.consensus_timestamp', search.timestamps),
    ...resultConditions(search, builder),
  ];
  return firstOf(parts, `select * from transaction x${whereClause(conditions)}`, ['x.consensus_timestamp']);
};

/** `candidates`: a statement that gives timestamps, more than needed and some repeatedly, but every one of the page. */
const mergedSearch = (parts: Parts, candidates: string): string => {
  const timestamps = `select distinct consensus_timestamp from (${candidates}) candidate`;
  // `limit 1` keeps the planner from joining in any other way than one probe for each timestamp.
  return `select t.* from (${firstOf(parts, timestamps, ['consensus_timestamp'])}) p
    cross join lateral (select * from transaction where consensus_timestamp = p.consensus_timestamp limit 1) t`;
};

/** The statement for a page of transactions in order of time; undefined when nothing can match. */
export const searchStatement = (search: TransactionSearch): Statement | undefined => {
  const builder = statementBuilder();
  const limit = builder.bind(search.limit);
  const statement = (page: string): Statement => ({
    text: pageStatement(page, search.order, false),
    values: builder.values,
  });
  const prepared = (page: string): Statement => {
    const { text, values } = statement(page);
    return { text, values, name: statementName(text) };
  };
  if (search.accounts === undefined && search.direction === undefined) {
    const parts: Parts = { search, builder, limit, kind: [] };
    return prepared(search.types.length > 0 ? mergedSearch(parts, byTypes(parts)) : plainSearch(parts));
  }
  const parts: Parts = { search, builder, limit, kind: kindConditions(search, builder) };
  if (search.accounts === undefined) return prepared(mergedSearch(parts, concerning(parts, undefined, false)));
  const ids = accountIds(search.accounts);
  if (ids?.length === 0) return undefined;
  if (ids !== undefined) return prepared(mergedSearch(parts, byIds(parts, ids)));
  return statement(mergedSearch(parts, byRange(parts, search.accounts)));
};

/**
 * Whether matches may lie far apart in what the search walks through: where a filter holds that the index of the walk
 * doesn't. Only the order by time alone, by type and by account stand in indexes.
 */
export const isSparse = ({ accounts, types, result, direction }: TransactionSearch): boolean => {
  if (result !== undefined) return true;
  if (accounts === undefined) return direction !== undefined;
  return types.length > 0 || direction !== undefined || accountIds(accounts) === undefined;
};
