/**
 * What the end of one staking period means for the stakes and pending rewards of all accounts
 * ([HIP-406](https://hips.hedera.com/hip/hip-406)), as one statement that the server computes within its own working
 * memory. Owns the rules; when they are applied is `pending-rewards.ts`.
 */
import type { Queryable } from '../../database/connection.ts';
import { type EntityId, encodeEntityId } from '../../ledger/entity-id.ts';
import { MAX_INT64 } from '../../ledger/int64.ts';
import type { Nanos } from '../../ledger/timestamp.ts';

export interface StakingNetwork {
  readonly shard: bigint;
  readonly realm: bigint;
}

/** The end of a staking period. */
export interface RewardPeriod {
  /** Days since the epoch in UTC; the day that has ended. */
  readonly day: bigint;
  /** When the network published the period's stakes and reward rates. */
  readonly timestamp: Nanos;
  /** The newest balance snapshot up to then; 0n: there is none, and all that accounts have was transferred since. */
  readonly snapshot: Nanos;
}

/** The account that pays staking rewards. Its row says which period is done. */
const stakingRewardAccount = ({ shard, realm }: StakingNetwork): EntityId => encodeEntityId(shard, realm, 800n);
const treasury = ({ shard, realm }: StakingNetwork): EntityId => encodeEntityId(shard, realm, 2n);

/** How old a snapshot, and a balance in it, may be: the longest month. */
const LOOK_BACK = 31n * 86_400_000_000_000n;

/** Periods whose rewards are kept; those before are lost. */
const PERIODS_KEPT = 365n;

/** Whether the ledger begins with the block in which the treasury got its hbars: every other record's transfers sum to 0. */
const WHOLE = `(
  select sum(amount) > 0 from crypto_transfer
  where consensus_timestamp <= (select consensus_end from record_file where index = 0)
)`;

/**
 * The oldest period that is not done: the first one after the one in the row of 0.0.800, or after that account began.
 * Periods without a snapshot to start from are passed over, for what was staked in them cannot be told; those before the
 * first snapshot only where the ledger lacks its beginning, in which alone hbars come from nowhere. What is computed thus
 * does not depend on how fast an import ran into its first snapshot.
 * Undefined when all are done, or the network has no account 0.0.800.
 */
export const nextRewardPeriod = async (
  client: Queryable,
  network: StakingNetwork,
): Promise<RewardPeriod | undefined> => {
  const [row] = await client.query<{ epoch_day: string; consensus_timestamp: string; snapshot: string }>(
    `with account as (
       select (select end_stake_period from entity_stake where id = $1) as done,
         (select min(lower(timestamp_range)) from (
           select timestamp_range from entity where id = $1
           union all select timestamp_range from entity_history where id = $1
         ) versions) as began
       where exists (select from entity where id = $1)
     ), open as (
       select distinct n.epoch_day, n.consensus_timestamp from node_stake n, account
       where n.epoch_day > coalesce(account.done, -1) and (account.done is not null or n.consensus_timestamp > account.began)
     )
     select epoch_day, consensus_timestamp, marked.snapshot from open
     cross join lateral (
       select max(b.consensus_timestamp) as snapshot from account_balance b
       where b.account_id = $2 and b.consensus_timestamp <= open.consensus_timestamp
         and b.consensus_timestamp > open.consensus_timestamp - $3::bigint
     ) recent
     cross join lateral (
       select coalesce(recent.snapshot, case when ${WHOLE} and not exists (
         select from account_balance b where b.account_id = $2 and b.consensus_timestamp <= open.consensus_timestamp
       ) then 0 end) as snapshot
     ) marked
     where marked.snapshot is not null
     order by consensus_timestamp limit 1`,
    [stakingRewardAccount(network), treasury(network), LOOK_BACK],
  );
  if (row === undefined) return undefined;
  return {
    day: BigInt(row.epoch_day),
    timestamp: BigInt(row.consensus_timestamp),
    snapshot: BigInt(row.snapshot),
  };
};

/** When the rewards came that are lost now. */
const forfeitedAt = async (client: Queryable, { day }: RewardPeriod): Promise<Nanos | null> => {
  const [row] = await client.query<{ timestamp: string | null }>(
    'select min(consensus_timestamp) as timestamp from node_stake where epoch_day = $1',
    [day - PERIODS_KEPT],
  );
  return row?.timestamp == null ? null : BigInt(row.timestamp);
};

const PARAMETERS = {
  account: '$1::bigint',
  day: '$2::bigint',
  timestamp: '$3::bigint',
  snapshot: '$4::bigint',
  lookBack: '$5::bigint',
  forfeitedAt: '$6::bigint',
  periodsKept: '$7::bigint',
} as const;

/** Who stakes when the period ends, as of that moment. */
const staking = `
  select id, coalesce(staked_account_id, 0) as staked_account_id, coalesce(staked_node_id, -1) as staked_node_id,
    coalesce(stake_period_start, -1) as stake_period_start
  from (
    select id, type, deleted, decline_reward, staked_account_id, staked_node_id, stake_period_start
    from entity where lower(timestamp_range) <= ${PARAMETERS.timestamp}
    union all
    select id, type, deleted, decline_reward, staked_account_id, staked_node_id, stake_period_start
    from entity_history where timestamp_range @> ${PARAMETERS.timestamp}
  ) v
  where id = ${PARAMETERS.account} or (type in ('ACCOUNT', 'CONTRACT') and deleted is not true and (
    coalesce(staked_account_id, 0) <> 0 or (not decline_reward and coalesce(staked_node_id, -1) <> -1)))`;

const movedSinceSnapshot = `
  select entity_id, sum(amount) as amount from crypto_transfer
  where consensus_timestamp > ${PARAMETERS.snapshot} and consensus_timestamp <= ${PARAMETERS.timestamp}
    and errata is distinct from 'DELETE'
  group by entity_id`;

/** The balance of each of them: that of the snapshot, and what moved since. */
const balances = `
  select s.*, coalesce(b.balance, 0) + coalesce(m.amount, 0) as balance
  from staking s
  left join moved m on m.entity_id = s.id
  left join lateral (
    select balance from account_balance
    where account_id = s.id and consensus_timestamp <= ${PARAMETERS.snapshot}
      and consensus_timestamp > ${PARAMETERS.snapshot} - ${PARAMETERS.lookBack}
    order by consensus_timestamp desc limit 1
  ) b on true`;

const stakedToOthers = `
  select staked_account_id as id, sum(balance) as amount from balances where staked_account_id <> 0 group by 1`;

const wholeHbars = (tinybars: string): string => `(${tinybars} / 100000000)::numeric`;

/** What the period came to for each row as it stands: the rate of the node then staked to, for the stake of then. */
const earned = `
  select e.id, n.reward_rate * ${wholeHbars('e.stake_total_start')} as amount
  from entity_stake e
  join node_stake n on n.consensus_timestamp = ${PARAMETERS.timestamp} and n.node_id = e.staked_node_id_start`;

/** The same for the period that falls out of those that are kept, with the rows of that time. */
const forfeited = `
  select h.id, n.reward_rate * ${wholeHbars('h.stake_total_start')} as amount
  from entity_stake_history h
  join node_stake n on n.consensus_timestamp = ${PARAMETERS.forfeitedAt} and n.node_id = h.staked_node_id_start
  where h.timestamp_range @> (${PARAMETERS.forfeitedAt} - 1) and upper(h.timestamp_range) = ${PARAMETERS.forfeitedAt}`;

/** Rules in order: the first that applies. `b` is the account at the period's end, `e` its row so far. */
const pendingReward = `
  case
    when coalesce(e.staked_node_id_start, -1) = -1 then 0
    when r.amount is null then e.pending_reward
    when b.stake_period_start > ${PARAMETERS.day} - 1 then 0
    when b.stake_period_start = ${PARAMETERS.day} - 1 then r.amount
    when ${PARAMETERS.day} - b.stake_period_start > ${PARAMETERS.periodsKept}
      then e.pending_reward + r.amount - coalesce(f.amount, 0)
    else e.pending_reward + r.amount
  end`;

/** Sums of what the network says of itself, which no column bounds. */
const bounded = (value: string): string => `least(greatest(${value}, 0), ${MAX_INT64})::bigint`;

const stakes = `
  select b.id, b.staked_node_id,
    ${bounded(pendingReward)} as pending_reward,
    ${bounded('coalesce(o.amount, 0)')} as staked_to_me,
    ${bounded('case when b.staked_node_id = -1 then 0 else b.balance + coalesce(o.amount, 0) end')} as stake_total
  from balances b
  left join entity_stake e on e.id = b.id
  left join earned r on r.id = b.id
  left join forfeited f on f.id = b.id
  left join staked_to_others o on o.id = b.id
  where (b.id = ${PARAMETERS.account} or b.staked_node_id <> -1)
    and exists (select from staking where id = ${PARAMETERS.account})`;

const columns =
  'end_stake_period, id, pending_reward, staked_node_id_start, staked_to_me, stake_total_start, timestamp_range';

const endPeriod = `
  with staking as materialized (${staking}),
  moved as materialized (${movedSinceSnapshot}),
  balances as materialized (${balances}),
  staked_to_others as (${stakedToOthers}),
  earned as (${earned}),
  forfeited as (${forfeited}),
  stakes as materialized (${stakes}),
  superseded as (
    insert into entity_stake_history (${columns})
    select e.end_stake_period, e.id, e.pending_reward, e.staked_node_id_start, e.staked_to_me, e.stake_total_start,
      int8range(lower(e.timestamp_range), ${PARAMETERS.timestamp})
    from entity_stake e join stakes s on s.id = e.id
  ),
  written as (
    insert into entity_stake (${columns})
    select ${PARAMETERS.day}, id, pending_reward, staked_node_id, staked_to_me, stake_total,
      int8range(${PARAMETERS.timestamp}, null)
    from stakes
    on conflict (id) do update set
      end_stake_period = excluded.end_stake_period,
      pending_reward = excluded.pending_reward,
      staked_node_id_start = excluded.staked_node_id_start,
      staked_to_me = excluded.staked_to_me,
      stake_total_start = excluded.stake_total_start,
      timestamp_range = excluded.timestamp_range
  )
  select count(*) as rows from stakes`;

/**
 * Writes the stakes and pending rewards at the end of `period`.
 * @param client in a transaction that sees one state throughout
 * @returns how many accounts were written; 0 when 0.0.800 was not there at that time, so that the period cannot be done
 */
export const endRewardPeriod = async (
  client: Queryable,
  network: StakingNetwork,
  period: RewardPeriod,
): Promise<bigint> => {
  // The planner takes what the statement computes for itself to be a few rows, and would search them once for each account.
  await client.query('set local enable_nestloop = off');
  const [row] = await client.query<{ rows: string }>(endPeriod, [
    stakingRewardAccount(network),
    period.day,
    period.timestamp,
    period.snapshot,
    LOOK_BACK,
    await forfeitedAt(client, period),
    PERIODS_KEPT,
  ]);
  return BigInt(row?.rows ?? 0);
};
