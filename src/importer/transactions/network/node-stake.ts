/**
 * The stakes and reward rates that the network publishes at the end of each staking period
 * ([HIP-406](https://hips.hedera.com/hip/hip-406)).
 */

import type { RowOf } from '../../../database/table.ts';
import { epochDayOf, nanosOf } from '../../../ledger/timestamp.ts';
import { TransactionType } from '../../../ledger/transaction-type.ts';
import type {
  NodeStake,
  NodeStakeUpdateTransactionBody,
} from '../../../protobuf/generated/services/node_stake_update.ts';
import { int64 } from '../column-values.ts';
import { type Call, defineHandler, problem } from '../handler.ts';

type Period = Pick<RowOf<'node_stake'>, 'consensus_timestamp' | 'epoch_day' | 'staking_period'>;

/** The period that has just ended: the day before the transaction. */
const periodOf = ({ body, timestamp }: Call<NodeStakeUpdateTransactionBody>): Period => ({
  consensus_timestamp: timestamp,
  epoch_day: epochDayOf(timestamp) - 1n,
  staking_period: body.endOfStakingPeriod === undefined ? 0n : nanosOf(body.endOfStakingPeriod),
});

const networkStake = (body: NodeStakeUpdateTransactionBody, period: Period): RowOf<'network_stake'> => ({
  ...period,
  max_stake_rewarded: body.maxStakeRewarded,
  max_staking_reward_rate_per_hbar: body.maxStakingRewardRatePerHbar,
  max_total_reward: body.maxTotalReward,
  node_reward_fee_denominator: body.nodeRewardFeeFraction?.denominator ?? 0n,
  node_reward_fee_numerator: body.nodeRewardFeeFraction?.numerator ?? 0n,
  reserved_staking_rewards: body.reservedStakingRewards,
  reward_balance_threshold: body.rewardBalanceThreshold,
  stake_total: int64(body.nodeStake.reduce((total, node) => total + node.stakeRewarded + node.stakeNotRewarded, 0n)),
  staking_period_duration: body.stakingPeriod,
  staking_periods_stored: body.stakingPeriodsStored,
  staking_reward_fee_denominator: body.stakingRewardFeeFraction?.denominator ?? 0n,
  staking_reward_fee_numerator: body.stakingRewardFeeFraction?.numerator ?? 0n,
  staking_reward_rate: body.stakingRewardRate,
  staking_start_threshold: body.stakingStartThreshold,
  unreserved_staking_reward_balance: body.unreservedStakingRewardBalance,
});

const nodeStake = (node: NodeStake, period: Period): RowOf<'node_stake'> => ({
  ...period,
  max_stake: node.maxStake,
  min_stake: node.minStake,
  node_id: node.nodeId,
  reward_rate: node.rewardRate,
  stake: node.stake,
  stake_not_rewarded: node.stakeNotRewarded,
  stake_rewarded: node.stakeRewarded,
});

export const nodeStakeUpdate = defineHandler(TransactionType.NODESTAKEUPDATE, 'nodeStakeUpdate', {
  success(call) {
    const { batch } = call.context;
    const period = periodOf(call);
    batch.insert('network_stake', networkStake(call.body, period));
    const nodes = new Map(call.body.nodeStake.map((node) => [node.nodeId, node]));
    if (nodes.size < call.body.nodeStake.length) problem(call, 'Several stakes of one node, of which the last counts');
    for (const node of nodes.values()) batch.insert('node_stake', nodeStake(node, period));
  },
});
