/** The statements that compare balance files with transfers, and what they find. */
import type { Nanos } from '../../ledger/timestamp.ts';
import { heldBalances, movedAmounts } from './table-amounts.ts';

/** All hbars there are, in tinybars. */
export const WHOLE_SUPPLY = 5_000_000_000_000_000_000n;

export interface ComparedFile {
  readonly consensusTimestamp: Nanos;
  /** Time of the last transaction that the balances hold. */
  readonly holdsTo: Nanos;
}

/** A balance that is not what it should be. */
export interface Difference {
  /** Null for the sum of all accounts, or where the token is meant as a whole. */
  readonly account: bigint | null;
  /** Null for hbars. */
  readonly token: bigint | null;
  readonly expected: bigint;
  readonly actual: bigint;
}

export interface DifferenceRow {
  readonly account: string | null;
  readonly token: string | null;
  readonly expected: string;
  readonly actual: string;
  /** All there are, also those beyond the limit. */
  readonly count: number;
}

export const differenceOf = ({ account, token, expected, actual }: DifferenceRow): Difference => ({
  account: account === null ? null : BigInt(account),
  token: token === null ? null : BigInt(token),
  expected: BigInt(expected),
  actual: BigInt(actual),
});

/** $1 time after which, $2 first time, $3 last time or null; nothing beyond the imported blocks. */
export const FILE_AFTER = `
select f.consensus_timestamp, f.consensus_timestamp + f.time_offset as holds_to
from account_balance_file f,
  (select min(consensus_start) as first, max(consensus_end) as last from record_file) history
where not f.synthetic and f.consensus_timestamp > $1 and f.consensus_timestamp >= $2
  and ($3::bigint is null or f.consensus_timestamp <= $3)
  and f.consensus_timestamp >= history.first and f.consensus_timestamp + greatest(f.time_offset, 0) <= history.last
order by f.consensus_timestamp
limit 1`;

/** Sums up what was expected and what is there for each account and token; nothing counts as zero. */
export const differencesIn = (parts: string): string => `
select account, token, sum(expected) as expected, sum(actual) as actual, count(*) over ()::integer as count
from (${parts}) parts
group by account, token
having sum(expected) <> sum(actual)
order by token nulls first, account`;

const BETWEEN_FILES = 'consensus_timestamp > $3 and consensus_timestamp <= $4';

const fileBalances = (unit: 'hbars' | 'tokens'): string =>
  `${heldBalances(unit, 'time', 'consensus_timestamp = $1', 'expected')}
   union all
   ${heldBalances(unit, 'time', 'consensus_timestamp = $2', 'actual')}`;

/**
 * $1 time of the previous file, $2 of the current one, $3 and $4 last transactions they hold, $5 accounts, $6 tokens and
 * $7 amounts carried on from before, $8 most rows or null.
 */
export const COMPARE_ACCOUNTS = `${differencesIn(
  `${fileBalances('hbars')}
   union all
   ${movedAmounts('hbars', BETWEEN_FILES, 'DELETE')}
   union all
   select account, null, amount, 0 from unnest($5::bigint[], $6::bigint[], $7::bigint[]) as c(account, token, amount)`,
)} limit $8`;

/**
 * NFT transfers between two times ($3, $4), one row for each side. An entry that stands for many NFTs has no serial
 * number; how many it moved is not known from it.
 */
const NFT_MOVES = `
select t.consensus_timestamp, n.token_id as token, side.account, side.amount, n.serial_number > 0 as exact
from transaction t
cross join jsonb_to_recordset(t.nft_transfer)
  as n(token_id bigint, sender_account_id bigint, receiver_account_id bigint, serial_number bigint)
cross join lateral (values (n.sender_account_id, -1), (n.receiver_account_id, 1)) as side(account, amount)
where t.consensus_timestamp > $3 and t.consensus_timestamp <= $4
  and t.nft_transfer is not null and side.account is not null`;

/** As COMPARE_ACCOUNTS. Tokens of which many NFTs moved at once between the files are left out. */
export const COMPARE_TOKENS = `
with nft_moves as (${NFT_MOVES})
${differencesIn(
  `select * from (
     ${fileBalances('tokens')}
     union all
     ${movedAmounts('tokens', BETWEEN_FILES, 'DELETE')}
     union all
     select account, token, amount, 0 from nft_moves where exact
     union all
     select * from unnest($5::bigint[], $6::bigint[], $7::bigint[], array_fill(0, array[cardinality($5::bigint[])]))
   ) known
   where token not in (select token from nft_moves where not exact)`,
)} limit $8`;
