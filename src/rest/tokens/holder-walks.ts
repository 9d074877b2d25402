/**
 * Who holds a token: the order in which holders are walked, and the search for those with a public key. Neither the accounts
 * of the key nor the holders of the token need be few, so that three walks race (raced-search.ts):
 * - by key: the accounts of the key in order, asked whether they hold the token;
 * - by token: its holders in order, asked for their key;
 * - plainly: all accounts of the key at once, where the two meet nowhere; with a balance, whichever is rarer.
 */
import { everything, type Interval } from '../../api/bounds.ts';
import type { Order } from '../../api/page.ts';
import type { Walk, WalkStep } from '../../api/raced-search.ts';
import {
  intervalConditions,
  type StatementBuilder,
  statementBuilder,
  statementName,
  whereClause,
} from '../../api/sql.ts';
import { takeWalkStep } from '../../api/walk-step.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { type BalanceSnapshot, snapshotConditions } from '../balances/balance-snapshot.ts';

export interface HolderSearch {
  readonly tokenId: EntityId;
  readonly accounts: Interval;
  /** In the token's smallest unit. */
  readonly balances: Interval;
  /** Hex of the one public key that an account must have. */
  readonly publicKey: string | undefined;
  readonly order: Order;
  readonly limit: number;
}

/**
 * All accounts of an interval that have rows of the token in the snapshots, in order, as a statement. Goes from account to
 * account by the index on token and account, so that its cost does not grow with the number of snapshots; it stops when its
 * reader does.
 */
export const walkedHolders = (
  builder: StatementBuilder,
  { order, accounts }: Pick<HolderSearch, 'order' | 'accounts'>,
  token: string,
  within: string,
): string => {
  const range = intervalConditions(builder, 'account_id', { ...accounts, excluded: [] });
  const first = (...conditions: readonly string[]): string =>
    `(select account_id from token_balance${whereClause([`token_id = ${token}`, ...conditions, ...range, within])}
      order by account_id ${order}, consensus_timestamp ${order} limit 1)`;
  const following = first(`account_id ${order === 'asc' ? '>' : '<'} walked.account_id`);
  const left = intervalConditions(builder, 'account_id', { ...everything, excluded: accounts.excluded });
  return `with recursive walked as (${first()} union all
    select following.account_id from walked cross join lateral ${following} following)
    select account_id from walked${whereClause(left)}`;
};

/** What the account held at a snapshot; no row where it held nothing ever. */
export const newestBalance = (token: string, account: string, within: string): string =>
  `(select balance from token_balance where token_id = ${token} and account_id = ${account}
    and ${within} order by consensus_timestamp desc limit 1)`;

/** Whether a row of `token_balance` says what its account held at a snapshot, and not at an earlier one. */
export const isNewestRow = (token: string, row: string, within: string): string =>
  `${row}.consensus_timestamp = (select n.consensus_timestamp from token_balance n
    where n.token_id = ${token} and n.account_id = ${row}.account_id and ${within}
    order by n.consensus_timestamp desc limit 1)`;

interface Parts {
  readonly search: HolderSearch;
  readonly publicKey: string;
  readonly snapshot: BalanceSnapshot | undefined;
  readonly interval: Interval;
  readonly builder: StatementBuilder;
}

/** Whether an account holds the token, with a balance that is asked for. */
const holds = ({ search, snapshot, builder }: Parts, account: string): string => {
  const token = `${builder.bind(search.tokenId)}::bigint`;
  const balanceOf = (column: string): string[] => intervalConditions(builder, column, search.balances);
  if (snapshot === undefined) {
    const conditions = [
      `a.token_id = ${token}`,
      `a.account_id = ${account}`,
      'a.associated',
      ...balanceOf('a.balance'),
    ];
    return `coalesce((select true from token_account a${whereClause(conditions)} limit 1), false)`;
  }
  const newest = newestBalance(token, account, snapshotConditions(builder, snapshot));
  return `coalesce((select true from ${newest} newest${whereClause(balanceOf('newest.balance'))}), false)`;
};

const hasKey = ({ publicKey, builder }: Parts, account: string): string =>
  `coalesce((select e.public_key = ${builder.bind(publicKey)}::text and e.type = 'ACCOUNT' from entity e
    where e.id = ${account} limit 1), false)`;

/** Key and type as ranges from themselves to themselves: the index by key, type and id gives the order. */
const accountsOfKey = ({ publicKey, interval, builder, search: { order } }: Parts, rows: number): string => {
  const key = `${builder.bind(publicKey)}::text`;
  const conditions = [
    `e.public_key >= ${key} and e.public_key <= ${key}`,
    "e.type >= 'ACCOUNT' and e.type <= 'ACCOUNT'",
    ...intervalConditions(builder, 'e.id', interval),
  ];
  return `select e.id as account_id from entity e${whereClause(conditions)}
    order by e.public_key ${order}, e.type ${order}, e.id ${order} limit ${rows}`;
};

const holdersOfToken = (parts: Parts, rows: number): string => {
  const { search, interval, snapshot, builder } = parts;
  const token = `${builder.bind(search.tokenId)}::bigint`;
  if (snapshot !== undefined) {
    const walked = walkedHolders(
      builder,
      { ...search, accounts: interval },
      token,
      snapshotConditions(builder, snapshot),
    );
    return `select h.account_id from (${walked}) h limit ${rows}`;
  }
  const conditions = [
    `a.token_id = ${token}`,
    'a.associated',
    ...intervalConditions(builder, 'a.account_id', interval),
  ];
  return `select a.account_id from token_account a${whereClause(conditions)} order by a.account_id ${search.order} limit ${rows}`;
};

interface AccountRow {
  readonly account_id: string;
}

const foundHolders = (rows: readonly AccountRow[]): WalkStep => ({
  found: rows.map(({ account_id }) => BigInt(account_id)),
  reached: 'end',
});

const isUnbounded = ({ lower, upper, excluded }: Interval): boolean =>
  lower === null && upper === null && excluded.length === 0;

/** The rows `a` of a token that say what accounts hold, now or at a snapshot, with balances that are asked for. */
const holdings = ({ search, snapshot, interval, builder }: Parts): string => {
  const token = `${builder.bind(search.tokenId)}::bigint`;
  const conditions = [
    `a.token_id = ${token}`,
    ...intervalConditions(builder, 'a.account_id', interval),
    ...intervalConditions(builder, 'a.balance', search.balances),
  ];
  if (snapshot === undefined) return `select * from token_account a${whereClause([...conditions, 'a.associated'])}`;
  const within = snapshotConditions(builder, snapshot);
  return `select * from (select * from token_balance where ${within}) a${whereClause(conditions)}
    and ${isNewestRow(token, 'a', within)}`;
};

/** A join, so that the planner may read first what is rarer: the accounts of the key, or the balances asked for. */
const holdersWithKey = (parts: Parts, limit: number): string => {
  const { search, publicKey, interval, builder } = parts;
  const conditions = [
    `e.public_key = ${builder.bind(publicKey)}::text`,
    "e.type = 'ACCOUNT'",
    ...intervalConditions(builder, 'e.id', interval),
  ];
  return `select h.account_id from (${holdings(parts)}) h join entity e on e.id = h.account_id${whereClause(conditions)}
    order by h.account_id ${search.order} limit ${limit}`;
};

/** The ways in which holders with a key may be sought. @param snapshot undefined: holders of now */
export const walksOfKey = (
  search: HolderSearch,
  publicKey: string,
  snapshot: BalanceSnapshot | undefined,
): readonly Walk[] => {
  const { order } = search;
  const partsOf = (interval: Interval): Parts => ({
    search,
    publicKey,
    snapshot,
    interval,
    builder: statementBuilder(),
  });
  const walk = (
    candidatesOf: (parts: Parts, rows: number) => string,
    questionsOf: (parts: Parts) => string[],
  ): Walk => ({
    step: (db, interval, rows, limit) => {
      const parts = partsOf(interval);
      const [candidates, questions] = [candidatesOf(parts, rows), questionsOf(parts)];
      return takeWalkStep(
        db,
        { builder: parts.builder, candidates, column: 'account_id', questions, order, rows },
        limit,
      );
    },
  });
  const plain: Walk = {
    isLong: true,
    step: async (db, interval, _rows, limit) => {
      const parts = partsOf(interval);
      const { builder } = parts;
      if (!isUnbounded(search.balances)) {
        const joined = holdersWithKey(parts, limit);
        // Not prepared: the plan is for these values.
        return foundHolders(await db.query<AccountRow>(joined, builder.values));
      }
      const conditions = [
        `e.public_key = ${builder.bind(publicKey)}::text`,
        "e.type = 'ACCOUNT'",
        ...intervalConditions(builder, 'e.id', interval),
      ];
      // `offset 0` keeps the planner from walking all holders.
      const ofKey = `select e.id as account_id from entity e${whereClause(conditions)} offset 0`;
      const text = `select k.account_id from (${ofKey}) k where ${holds(parts, 'k.account_id')}
        order by k.account_id ${order} limit ${builder.bind(limit)}`;
      return foundHolders(await db.query<AccountRow>(text, builder.values, statementName(text)));
    },
  };
  return [
    walk(accountsOfKey, (parts) => [holds(parts, 'w.account_id')]),
    walk(holdersOfToken, (parts) => [hasKey(parts, 'w.account_id'), holds(parts, 'w.account_id')]),
    plain,
  ];
};
