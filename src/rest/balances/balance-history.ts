/**
 * What an account held at a past time, from its own transfers: for accounts that are in no snapshot, since they came
 * later. The transfers count only where they are known to be all of them: they begin with the account, or with the
 * network, and add up to what it holds now.
 */
import type { RouteContext } from '../../api/route.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import { tokenBalance } from './token-balances.ts';

/** As the cells of other balances are read. */
export interface PastBalance {
  readonly balance: string;
  /** When the account got to it, in nanoseconds. */
  readonly timestamp: string;
  /** Packed by `tokenBalance`. */
  readonly tokens: string;
}

/** Transfers, serial numbers and relations of one account that are read at most; with more, its history is not looked at. */
const MOST_ROWS = 10_000;

/** The account whose transfers no index holds. */
const FEE_COLLECTOR = 98;

interface HbarRow {
  readonly is_whole: boolean;
  readonly balance: string;
  readonly reached: string | null;
}

// The range of one id gives the order of the index that begins with it to the planner.
const hbarText = `
  with moved as (
    select consensus_timestamp as at, amount from crypto_transfer
    where entity_id >= $1 and entity_id <= $1 and entity_id <> ${FEE_COLLECTOR} and errata is distinct from 'DELETE'
    order by entity_id, consensus_timestamp limit ${MOST_ROWS + 1}
  ), sums as (
    select count(*) as rows, coalesce(sum(amount), 0) as total, max(at) filter (where at <= $2) as reached,
      coalesce(sum(amount) filter (where at <= $2), 0) as balance
    from moved
  ), first as (
    select index, consensus_start from record_file order by consensus_end limit 1
  )
  select sums.balance, greatest(sums.reached, e.created_timestamp) as reached,
    sums.rows <= ${MOST_ROWS} and sums.total = e.balance and coalesce(e.created_timestamp, 0) <= $2
      and coalesce(first.index = 0 or first.consensus_start <= e.created_timestamp, false) as is_whole
  from entity e cross join sums cross join first where e.id = $1 and e.id <> ${FEE_COLLECTOR}`;

interface TokenRow {
  readonly is_whole: boolean;
  readonly reached: string | null;
  readonly tokens: string | null;
}

const tokenText = `
  with moved as (
    select token_id, consensus_timestamp as at, amount from token_transfer
    where account_id >= $1 and account_id <= $1 order by account_id, consensus_timestamp desc limit ${MOST_ROWS + 1}
  ), serials as (
    (select token_id, timestamp_range from nft where account_id = $1 and deleted is not true limit ${MOST_ROWS + 1})
    union all
    (select token_id, timestamp_range from nft_history where account_id = $1 and deleted is not true limit ${MOST_ROWS + 1})
  ), changes as (
    select token_id, at, amount from moved
    union all select token_id, lower(timestamp_range), 1 from serials
    union all select token_id, upper(timestamp_range), -1 from serials where not upper_inf(timestamp_range)
  ), sums as (
    select token_id, sum(amount) as total, sum(amount) filter (where at <= $2) as balance,
      max(at) filter (where at <= $2) as reached
    from changes group by token_id
  ), relations as (
    select token_id, balance, associated, timestamp_range from token_account where account_id = $1 limit ${MOST_ROWS + 1}
  ), held as (
    select token_id from relations where associated and timestamp_range @> $2::bigint
    union select token_id from token_account_history where account_id = $1 and associated and timestamp_range @> $2::bigint
  )
  select (select max(reached) from sums) as reached,
    greatest((select count(*) from moved), (select count(*) from serials), (select count(*) from relations)) <= ${MOST_ROWS}
      and not exists (select from sums full join relations using (token_id)
        where coalesce(sums.total, 0) <> coalesce(relations.balance, 0)) as is_whole,
    (select ${tokenBalance.packed('p.token_id')} from (
      select held.token_id, coalesce(sums.balance, 0) as balance from held left join sums using (token_id)
      order by held.token_id limit $3) p) as tokens`;

/**
 * What the account held at `moment` (nanoseconds) by its transfers; undefined where not all of them are known.
 * @param mostTokens that are shown
 */
export const balanceFromTransfers = async (
  account: EntityId,
  moment: Nanos,
  mostTokens: number,
  { db }: Pick<RouteContext, 'db'>,
): Promise<PastBalance | undefined> => {
  const [hbars] = await db.query<HbarRow>(hbarText, [account, moment], 'past-balance-of-hbars');
  if (hbars === undefined || !hbars.is_whole || hbars.reached === null) return undefined;
  const [tokens] = await db.query<TokenRow>(tokenText, [account, moment, mostTokens], 'past-balance-of-tokens');
  if (tokens === undefined || !tokens.is_whole) return undefined;
  const isTokenLater = tokens.reached !== null && BigInt(tokens.reached) > BigInt(hbars.reached);
  return {
    balance: hbars.balance,
    timestamp: isTokenLater ? (tokens.reached as string) : hbars.reached,
    tokens: tokens.tokens ?? '',
  };
};
