/** How many tokens an account is associated with, and of how many it holds some. */
import { statementName } from '../../api/sql.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { fungibleBalanceAt, ownedSerialsAt } from './fungible-balance.ts';
import { type Moment, type Past, withinSnapshot } from './moment.ts';
import type { AccountCounts } from './records.ts';

interface CountRow {
  readonly associations: string;
  readonly id: string;
  readonly positive: string;
}

const latestStatement = `
  select account_id as id, count(*) as associations, count(*) filter (where balance > 0) as positive
  from token_account where account_id = any ($1::bigint[]) and associated group by account_id`;

/** The newest version of each relation of the account that began by then. */
const relations = `
  select distinct on (token_id) token_id, associated from (
    select token_id, associated, timestamp_range from token_account
    where account_id = asked.id and lower(timestamp_range) <= $2::bigint
    union all
    select token_id, associated, timestamp_range from token_account_history
    where account_id = asked.id and lower(timestamp_range) <= $2::bigint
  ) versions order by token_id, lower(timestamp_range) desc`;

const pastStatement = (within: string): string => `
  select asked.id, count(*) as associations, count(*) filter (where held.balance > 0) as positive
  from unnest($1::bigint[]) as asked(id)
  cross join lateral (${relations}) r
  left join token t on t.token_id = r.token_id
  cross join lateral (
    select case when t.type = 'NON_FUNGIBLE_UNIQUE' then ${ownedSerialsAt('asked.id', 'r.token_id')}
      else ${fungibleBalanceAt('asked.id', 'r.token_id', '$3::bigint', within)} end as balance
  ) held
  where r.associated
  group by asked.id`;

const readPast = async (moment: Past, ids: readonly EntityId[]): Promise<CountRow[]> => {
  const snapshot = await moment.snapshot();
  const text = pastStatement(withinSnapshot(snapshot, '$3::bigint'));
  return moment.db.query<CountRow>(text, [ids, moment.at, snapshot ?? null], statementName(text));
};

export const loadCounts = async (moment: Moment, ids: readonly EntityId[]): Promise<AccountCounts[]> => {
  // An id given twice would be counted twice.
  const distinct = [...new Set(ids)];
  const rows =
    moment.at === undefined
      ? await moment.db.query<CountRow>(latestStatement, [distinct], 'evm-counts')
      : await readPast(moment, distinct);
  const counts = new Map(
    rows.map((row) => [
      BigInt(row.id),
      { associations: Number(row.associations), positiveBalances: Number(row.positive) },
    ]),
  );
  return ids.map((id) => counts.get(id) ?? { associations: 0, positiveBalances: 0 });
};
