/** Staking that accounts asked for before the network had it (HAPI 0.27) never came into force. */
import { epochDayOf } from '../../ledger/timestamp.ts';
import { isPast, type Repair } from './repair.ts';

/** End of the last block before HAPI 0.27. */
const LAST_BLOCK_END = 1_658_419_200_981_687_000n;

/**
 * A choice of node is known by the day it began and lasts through versions that change something else. $1 end of the last
 * block, $2 its day since 1970.
 */
const RESET = `
with version as (
  select id, staked_node_id, stake_period_start, type, timestamp_range from entity
  union all
  select id, staked_node_id, stake_period_start, type, timestamp_range from entity_history
), early as (
  select distinct id, staked_node_id, stake_period_start
  from version
  where staked_node_id <> -1 and stake_period_start between 0 and $2 and type in ('ACCOUNT', 'CONTRACT')
    and lower(timestamp_range) <= $1
), stake as (
  update entity_stake s set pending_reward = 0, staked_node_id_start = -1
  from entity join early using (id, staked_node_id, stake_period_start)
  where s.id = entity.id
  returning 1
), past as (
  update entity_history h set staked_node_id = -1, stake_period_start = -1
  from early e
  where (h.id, h.staked_node_id, h.stake_period_start) = (e.id, e.staked_node_id, e.stake_period_start)
  returning 1
), present as (
  update entity p set staked_node_id = -1, stake_period_start = -1
  from early e
  where (p.id, p.staked_node_id, p.stake_period_start) = (e.id, e.staked_node_id, e.stake_period_start)
  returning 1
)
select ((select count(*) from stake) + (select count(*) from past) + (select count(*) from present))::integer as count`;

export const earlyStaking: Repair = {
  name: 'early-staking',
  setting: 'fixStakedBeforeEnabledMigration',
  isDue: (reach) => isPast(LAST_BLOCK_END, reach),
  async run(client) {
    const [reset] = await client.query<{ count: number }>(RESET, [LAST_BLOCK_END, epochDayOf(LAST_BLOCK_END)]);
    return reset?.count ?? 0;
  },
};
