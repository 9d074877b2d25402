/**
 * Sparse searches of transactions: filters that no index holds together. Each walk goes through one index in the order of
 * the answer and asks of every transaction that it meets what the index does not tell:
 * - by account: what an account paid for, what moved its hbar or tokens, what touched it;
 * - by type: `transaction` by (type, timestamp);
 * - by time: all transactions, where neither is given, or where the account is one that no index holds;
 * - gathered: all that concerns a range of accounts, of which there may be little, in no order;
 * - plainly: each index in one pass that keeps nothing but matches, which examines a row at a fifth of a walk's cost, and
 *   knows no end but that of its time.
 * Which of them comes to enough matches first depends on the ledger, so that they race (raced-search.ts).
 */
import type { Bounds, Interval } from '../../api/bounds.ts';
import type { Order } from '../../api/page.ts';
import type { Walk, WalkStep } from '../../api/raced-search.ts';
import {
  intervalConditions,
  type StatementBuilder,
  statementBuilder,
  statementName,
  whereClause,
} from '../../api/sql.ts';
import { firstPositions, takeWalkStep } from '../../api/walk-step.ts';
import type { Reader } from '../../database/connection.ts';
import { responseCodeNumber } from '../../ledger/response-code.ts';
import { accountIds, concernsPayer, type TransactionSearch, unindexedAccount } from './transaction-search.ts';

const successfulResults = ['SUCCESS', 'SUCCESS_BUT_MISSING_EXPECTED_OPERATION', 'FEE_SCHEDULE_FILE_PART_UPLOADED'].map(
  responseCodeNumber,
);

interface Parts {
  readonly search: TransactionSearch;
  readonly interval: Interval;
  readonly builder: StatementBuilder;
  /** Most rows of an index that a step examines. A literal, which the planner counts with. */
  readonly rows: number;
}

/** Makes the condition on a column that holds an account. */
type AccountCondition = (column: string) => string;

/**
 * One way through the ledger. `candidates` gives (ts, is_match, pays), in order, the first `rows` of them, each time once:
 * whether the row itself tells that it can't be a match, and whether it tells that its payer is an account asked for.
 */
interface Route {
  candidates(parts: Parts): string;
  /** What is left to be asked of a candidate `w`, as conditions. */
  questions(parts: Parts): string[];
}

const conditionOn = ({ builder }: Parts, accounts: Bounds): AccountCondition => {
  const ids = accountIds(accounts);
  if (ids !== undefined) {
    const bound = `${builder.bind(ids)}::bigint[]`;
    return (column) => `${column} = any (${bound})`;
  }
  const { lower, upper, unequal } = accounts;
  return (column) => intervalConditions(builder, column, { lower, upper, excluded: unequal }).join(' and ') || 'true';
};

const within = ({ builder, interval }: Parts, column: string): string[] =>
  intervalConditions(builder, column, interval);

const signOf = ({ direction }: TransactionSearch): string[] =>
  direction === undefined ? [] : [`x.amount ${direction === 'credit' ? '>' : '<'} 0`];

/** A row of the table at the candidate's time; `limit 1` keeps the planner from answering for all candidates at once. */
const meets = (table: string, conditions: readonly string[]): string =>
  `(select true from ${table} x${whereClause(['x.consensus_timestamp = w.ts', ...conditions])} limit 1)`;

/** On type and result of a transaction. */
const kindConditions = ({ search, builder }: Parts, transaction = 'x'): string[] => {
  const conditions: string[] = [];
  if (search.types.length > 0) {
    conditions.push(`${transaction}.type = any (${builder.bind(search.types)}::smallint[])`);
  }
  if (search.result !== undefined) {
    const operator = search.result === 'success' ? '= any' : '<> all';
    conditions.push(`${transaction}.result ${operator} (${builder.bind(successfulResults)}::smallint[])`);
  }
  return conditions;
};

const kindQuestions = (parts: Parts): string[] => {
  const conditions = kindConditions(parts);
  return conditions.length === 0 ? [] : [meets('transaction', conditions)];
};

/** What the row `x` of `transaction` tells by itself. */
const toldByTransaction = (parts: Parts): string => {
  const { search, builder } = parts;
  const { accounts, direction } = search;
  const pays =
    accounts === undefined || direction !== undefined
      ? 'false'
      : `${conditionOn(parts, accounts)('x.payer_account_id')} and ${concernsPayer(builder, search)}`;
  return `${kindConditions(parts).join(' and ') || 'true'} as is_match, ${pays} as pays`;
};

/** On account and direction, beyond what the payer tells. */
const concernQuestions = (parts: Parts): string[] => {
  const { search } = parts;
  const { accounts, direction } = search;
  if (accounts === undefined && direction === undefined) return [];
  const account = accounts === undefined ? undefined : conditionOn(parts, accounts);
  const on = (column: string): string[] => (account === undefined ? [] : [account(column)]);
  const ways = [
    meets('crypto_transfer', [...on('x.entity_id'), ...signOf(search)]),
    meets('token_transfer', [...on('x.account_id'), ...signOf(search)]),
    ...(direction === undefined ? [meets('entity_transaction', on('x.entity_id'))] : []),
  ];
  return [`(w.pays or coalesce(${ways.join(', ')}))`];
};

const byTime: Route = {
  candidates: (parts) =>
    `select x.consensus_timestamp as ts, ${toldByTransaction(parts)} from transaction x` +
    `${whereClause(within(parts, 'x.consensus_timestamp'))}
      order by x.consensus_timestamp ${parts.search.order} limit ${parts.rows}`,
  questions: concernQuestions,
};

const byType: Route = {
  candidates: (parts) => {
    const { search, builder, rows } = parts;
    const { order } = search;
    // The type as a range from itself to itself: only the index by type gives this order.
    const ofType = ['x.type >= k.type and x.type <= k.type', ...within(parts, 'x.consensus_timestamp')];
    return `select m.* from unnest(${builder.bind(search.types)}::smallint[]) k(type)
      cross join lateral (select x.consensus_timestamp as ts, ${toldByTransaction(parts)}
        from transaction x${whereClause(ofType)}
        order by x.type ${order}, x.consensus_timestamp ${order} limit ${rows}) m
      order by ts ${order} limit ${rows}`;
  },
  questions: concernQuestions,
};

const byAccount: Route = {
  candidates: (parts) => {
    const { search, builder, rows } = parts;
    const { order } = search;
    const first = `order by ts ${order} limit ${rows}`;
    const inTime = within(parts, 'x.consensus_timestamp');
    const single = (table: string, account: string, isMatch: string): string =>
      `(select x.consensus_timestamp as ts, ${isMatch} as is_match from ${table} x${whereClause([account, ...inTime])} ${first})`;
    const moved = (table: string, conditions: readonly string[]): string =>
      `(select x.consensus_timestamp as ts, bool_or(${signOf(search)[0] ?? 'true'}) as is_match from ${table} x` +
      `${whereClause([...conditions, ...inTime])} group by x.consensus_timestamp ${first})`;
    const branches = [
      ...(search.direction === undefined
        ? [
            single('transaction', 'x.payer_account_id = a.id', concernsPayer(builder, search)),
            single('entity_transaction', 'x.entity_id = a.id', 'true'),
          ]
        : []),
      moved('crypto_transfer', ['x.entity_id = a.id', `x.entity_id <> ${unindexedAccount}`]),
      moved('token_transfer', ['x.account_id = a.id']),
    ];
    const ids = builder.bind(accountIds(search.accounts as Bounds));
    return `select m.ts, bool_or(m.is_match) as is_match from unnest(${ids}::bigint[]) a(id)
      cross join lateral (${branches.join(' union all ')}) m group by m.ts ${first}`;
  },
  questions: kindQuestions,
};

const walkOf = (route: Route, search: TransactionSearch): Walk => ({
  step: (db, interval, rows, limit): Promise<WalkStep> => {
    const parts: Parts = { search, interval, builder: statementBuilder(), rows };
    const questions = ['w.is_match', ...route.questions(parts)];
    const candidates = route.candidates(parts);
    return takeWalkStep(db, { ...parts, candidates, column: 'ts', questions, order: search.order }, limit);
  },
});

/** All that concerns the accounts, at whatever time, up to so many rows of each table: none of its indexes is by time. */
const gathered = (parts: Parts): string => {
  const { search, rows } = parts;
  const account = conditionOn(parts, search.accounts as Bounds);
  const part = (table: string, column: string, isMatch: string): string =>
    `(select x.consensus_timestamp as ts, ${isMatch} as is_match from ${table} x where ${account(column)} limit ${rows + 1})`;
  const sign = signOf(search)[0] ?? 'true';
  // The account that the index leaves out is always met by the walk through time; a range with it is not gathered.
  return [
    part('crypto_transfer', `x.entity_id <> ${unindexedAccount} and x.entity_id`, sign),
    part('token_transfer', 'x.account_id', sign),
    ...(search.direction === undefined
      ? [
          part('transaction', 'x.payer_account_id', concernsPayer(parts.builder, search)),
          part('entity_transaction', 'x.entity_id', 'true'),
        ]
      : []),
  ].join(' union all ');
};

interface GatheredRow {
  readonly found: readonly string[];
  readonly examined: number;
}

const gatherStep = async (
  db: Reader,
  search: TransactionSearch,
  interval: Interval,
  rows: number,
  limit: number,
): Promise<WalkStep> => {
  const builder = statementBuilder();
  const parts: Parts = { search, interval, builder, rows };
  const conditions = [`(select count(*) from gathered) <= ${rows}`, 'w.is_match', ...within(parts, 'w.ts')];
  const text = `with gathered as materialized (${gathered(parts)})
    select array(select distinct w.ts from gathered w${whereClause([...conditions, ...kindQuestions(parts)])}
        order by w.ts ${search.order} limit ${builder.bind(limit)}) as found,
      (select count(*) from gathered)::int as examined`;
  const [step] = await db.query<GatheredRow>(text, builder.values, statementName(text));
  if (step === undefined || step.examined > rows) return { found: [], reached: 'nowhere' };
  return { found: firstPositions(step.found, search.order, limit), reached: 'end' };
};

/** The first times of the order at which a row of the table `x` meets the conditions, what its transaction is among them. */
const plainly = (table: string, conditions: readonly string[], parts: Parts, limit: number): string => {
  const { order } = parts.search;
  const tail = `order by 1 ${order} limit ${limit}`;
  const all = [...conditions, ...within(parts, 'x.consensus_timestamp')];
  const times = `select distinct x.consensus_timestamp as ts from ${table} x`;
  if (table === 'transaction') return `(${times}${whereClause([...all, ...kindConditions(parts)])} ${tail})`;
  const kind = kindConditions(parts, 't');
  if (kind.length === 0) return `(${times}${whereClause(all)} ${tail})`;
  // A join, so that the planner may read the rarer of the two first.
  const joined = [...all, ...kind, ...within(parts, 't.consensus_timestamp')];
  return `(${times} join transaction t on t.consensus_timestamp = x.consensus_timestamp${whereClause(joined)} ${tail})`;
};

/**
 * The first times of the order at which the account was moved anything in that direction. The account as a range from itself
 * to itself: only its index gives the order, while an equality would let the planner walk all transfers of the time.
 */
const movedPlainly = (parts: Parts, id: bigint, limit: number): string => {
  const { search, builder } = parts;
  const { order } = search;
  const account = `${builder.bind(id)}::bigint`;
  // The index of token transfers has the newest of an account first.
  const reversed = order === 'asc' ? 'desc' : 'asc';
  const moved = (table: string, column: string, orderOfColumn: Order): string => {
    const conditions = [
      `${column} >= ${account} and ${column} <= ${account}`,
      ...signOf(search),
      ...within(parts, 'x.consensus_timestamp'),
    ];
    return `(select distinct on (${column}, x.consensus_timestamp) x.consensus_timestamp as ts from ${table} x
      ${whereClause(conditions)} order by ${column} ${orderOfColumn}, x.consensus_timestamp ${order} limit ${limit})`;
  };
  return [moved('crypto_transfer', 'x.entity_id', order), moved('token_transfer', 'x.account_id', reversed)].join(
    ' union all ',
  );
};

const plainStatement = (parts: Parts, limit: number): string => {
  const { search, builder } = parts;
  const { accounts, direction, order } = search;
  if (accounts === undefined) return plainly('transaction', [], parts, limit);
  const sign = signOf(search);
  const ids = accountIds(accounts);
  const firstOfAll = (branches: readonly string[]): string =>
    `select distinct z.ts from (${branches.join(' union all ')}) z order by z.ts ${order} limit ${limit}`;
  const isOfAnyKind = search.types.length === 0 && search.result === undefined;
  if (ids !== undefined && direction !== undefined && isOfAnyKind && !ids.includes(unindexedAccount)) {
    return firstOfAll(ids.map((id) => movedPlainly(parts, id, limit)));
  }
  const isAccounts: readonly AccountCondition[] =
    ids === undefined
      ? [conditionOn(parts, accounts)]
      : ids.map((id) => {
          const account = `${builder.bind(id)}::bigint`;
          return (column) => `${column} = ${account}`;
        });
  const ofEach = isAccounts.flatMap((account) => [
    plainly('crypto_transfer', [account('x.entity_id'), ...sign], parts, limit),
    plainly('token_transfer', [account('x.account_id'), ...sign], parts, limit),
    ...(direction === undefined
      ? [
          plainly('transaction', [account('x.payer_account_id'), concernsPayer(builder, search)], parts, limit),
          plainly('entity_transaction', [account('x.entity_id')], parts, limit),
        ]
      : []),
  ]);
  return firstOfAll(ofEach);
};

/** Accounts that are searched plainly, each in statements of its own. */
const mostPlainAccounts = 4;

const plainWalk = (search: TransactionSearch): Walk => ({
  isLong: true,
  step: async (db, interval, _rows, limit): Promise<WalkStep> => {
    const builder = statementBuilder();
    // Not prepared: the plan is for these values.
    const text = plainStatement({ search, interval, builder, rows: limit }, limit);
    const rows = await db.query<{ readonly ts: string }>(text, builder.values);
    return { found: rows.map(({ ts }) => BigInt(ts)), reached: 'end' };
  },
});

/**
 * What a range of accounts paid for or was touched by is told by the walk through time, row by row; what it moved is not, and
 * transactions of a type are asked one by one for what they moved.
 */
const canBePlain = ({ accounts, direction, types }: TransactionSearch): boolean => {
  if (accounts === undefined) return direction === undefined;
  const ids = accountIds(accounts);
  return ids === undefined ? direction !== undefined || types.length > 0 : ids.length <= mostPlainAccounts;
};

const holds = ({ lower, upper, unequal }: Bounds, id: bigint): boolean =>
  (lower === null || id >= lower) && (upper === null || id <= upper) && !unequal.includes(id);

const orderedWalksOf = (search: TransactionSearch): readonly Walk[] => {
  const { accounts, types } = search;
  const walk = (route: Route): Walk => walkOf(route, search);
  if (accounts === undefined) return [walk(types.length > 0 ? byType : byTime)];
  const ids = accountIds(accounts);
  if (ids === undefined) {
    const ordered = walk(types.length > 0 ? byType : byTime);
    if (holds(accounts, unindexedAccount)) return [ordered];
    return [ordered, { step: (db, interval, rows, limit) => gatherStep(db, search, interval, rows, limit) }];
  }
  if (ids.includes(unindexedAccount)) return [walk(types.length > 0 ? byType : byTime)];
  if (types.length > 0) return [walk(byAccount), walk(byType)];
  // Few may have the result, and time tells it with the row.
  return search.result === undefined ? [walk(byAccount)] : [walk(byAccount), walk(byTime)];
};

/** The ways in which a sparse search may go, the one that is the best of an ordinary ledger first. */
export const walksOf = (search: TransactionSearch): readonly Walk[] => {
  const walks = orderedWalksOf(search);
  return canBePlain(search) ? [...walks, plainWalk(search)] : walks;
};
