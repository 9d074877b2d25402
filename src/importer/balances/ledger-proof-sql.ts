/** The statements of the ledger's proof. All run in one transaction, so that they see the same ledger. */
import { differencesIn } from './reconciliation-sql.ts';
import { heldBalances, movedAmounts } from './table-amounts.ts';

export interface HistoryRow {
  readonly blocks: string;
  readonly first_index: string;
  readonly last_index: string;
  readonly first_start: string;
  readonly last_end: string;
  /** Transactions that the blocks say they hold. */
  readonly counted: string;
  /** Blocks that don't name the one before them. */
  readonly breaks: string;
  readonly genesis_end: string;
}

export const HISTORY = `
select count(*) as blocks, min(index) as first_index, max(index) as last_index, min(consensus_start) as first_start,
  max(consensus_end) as last_end, sum(count) as counted, min(consensus_end) as genesis_end,
  count(*) filter (where previous is not null and prev_hash <> previous) as breaks
from (select *, lag(hash) over (order by consensus_end) as previous from record_file) chain
having count(*) > 0`;

/** $1 end of the first block. */
export const STORED = `
select (select count(*) from transaction where errata is distinct from 'INSERT') as transactions,
  (select count(*) from crypto_transfer) as transfers,
  (select coalesce(sum(amount), 0) from crypto_transfer
    where consensus_timestamp <= $1 and errata is distinct from 'DELETE') as first_credit,
  exists (select from entity where balance <> 0) or exists (select from token_account where balance <> 0) as tracked`;

export const TAKEN_OVER = `
select i.consensus_timestamp, i.consensus_timestamp + f.time_offset as holds_to
from kagami.initial_balances i join account_balance_file f using (consensus_timestamp)`;

/** $1 time after which, $2 most rows. The key is the transaction's time. */
export const UNBALANCED_TRANSACTIONS = `
select consensus_timestamp as account, null as token, 0 as expected, sum(amount) as actual, count(*) over ()::integer as count
from crypto_transfer
where consensus_timestamp > $1 and errata is distinct from 'DELETE'
group by consensus_timestamp
having sum(amount) <> 0
order by consensus_timestamp
limit $2`;

export const SUM_OF_BALANCES = 'select coalesce(sum(balance), 0) as sum, count(balance) as entities from entity';

/** $1 time after which transfers count, $2 time of the balance file they count from, $3 most rows. */
export const BALANCES_AGAINST_TRANSFERS = `${differencesIn(
  `${heldBalances('hbars', 'now', 'balance is not null', 'actual')}
   union all
   ${heldBalances('hbars', 'time', 'consensus_timestamp = $2', 'expected')}
   union all
   ${movedAmounts('hbars', 'consensus_timestamp > $1', 'INSERT')}`,
)} limit $3`;

/**
 * Tokens whose whole life is known: created in the imported history ($1 its start). What a deleted token leaves behind
 * depends on who dissociates from it, so those are not compared.
 */
const KNOWN_TOKENS = `
known as (
  select t.token_id, t.total_supply
  from token t left join entity e on e.id = t.token_id
  where t.created_timestamp >= $1 and t.type = $2::token_type and e.deleted is not true
)`;

/** $1 start of the history, $2 type of token. */
export const COUNT_TOKENS = `
with ${KNOWN_TOKENS}
select (select count(*) from known) as known, (select count(*) from token where type = $2::token_type) as tokens`;

/** $1 start of the history, $2 type of token, $3 most rows. */
export const SUPPLY_AGAINST_HOLDINGS = `
with ${KNOWN_TOKENS}
${differencesIn(
  `select null::bigint as account, token_id as token, total_supply as expected, 0 as actual from known
   union all
   select null, a.token_id, 0, a.balance from token_account a join known using (token_id)`,
)} limit $3`;

/** $1 start of the history, $2 type of token, $3 most rows. */
export const SUPPLY_AGAINST_NFTS = `
with ${KNOWN_TOKENS}
${differencesIn(
  `select null::bigint as account, token_id as token, total_supply as expected, 0 as actual from known
   union all
   select null, n.token_id, 0, 1 from nft n join known using (token_id) where n.deleted is not true`,
)} limit $3`;

/** $1 start of the history, $2 type of token, $3 most rows. */
export const NFTS_AGAINST_HOLDINGS = `
with ${KNOWN_TOKENS}
${differencesIn(
  `select n.account_id as account, n.token_id as token, 1 as expected, 0 as actual
     from nft n join known using (token_id) where n.deleted is not true
   union all
   select a.account_id, a.token_id, 0, a.balance from token_account a join known using (token_id)`,
)} limit $3`;
