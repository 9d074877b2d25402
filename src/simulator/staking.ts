import { accountOf } from './account-book.ts';
import type { BlockBuilder } from './block-builder.ts';
import type { Account, LedgerState } from './ledger-state.ts';
import { timestampOf } from './proto-ids.ts';
import { STAKING_REWARD, TREASURY } from './system-accounts.ts';

/** Tinybars that a whole staked hbar earns per staking period. */
const REWARD_PER_HBAR = 2_000n;
const TINYBARS_PER_HBAR = 100_000_000n;
const PERIODS_STORED = 365n;
const NANOS_PER_MINUTE = 60_000_000_000n;
const MAX_STAKE = 50_000_000_000n * TINYBARS_PER_HBAR;

export const currentStakingPeriod = (state: LedgerState): bigint => state.stakingPeriod;

/** Tinybars due to an account that is rewarded now, for every full period since it was last. */
export const rewardOf = (account: Account, period: bigint): bigint => {
  const periods = period - account.unrewardedFrom;
  if (periods <= 0n) return 0n;
  return (
    (account.balance / TINYBARS_PER_HBAR) * REWARD_PER_HBAR * (periods > PERIODS_STORED ? PERIODS_STORED : periods)
  );
};

/** Stake of every node: rewarded and not, in tinybars. */
const stakes = (builder: BlockBuilder): { rewarded: bigint; notRewarded: bigint }[] => {
  const nodes = Array.from({ length: builder.settings.nodeCount }, () => ({ rewarded: 0n, notRewarded: 0n }));
  for (const account of builder.state.accounts.values()) {
    const node = account.stakedNodeId === undefined ? undefined : nodes[account.stakedNodeId];
    if (node === undefined || account.deleted) continue;
    if (account.declineReward) node.notRewarded += account.balance;
    else node.rewarded += account.balance;
  }
  return nodes;
};

/**
 * Submits the node stake update when a staking period ended since the newest one. Takes a moment just before the
 * builder's slot.
 */
export const updateStakes = (builder: BlockBuilder): void => {
  const { state, settings } = builder;
  const period = builder.consensusTime / settings.stakingPeriodNanos;
  if (period <= state.stakingPeriod) return;
  state.stakingPeriod = period;
  const perNode = stakes(builder);
  const total = perNode.reduce((sum, node) => sum + node.rewarded + node.notRewarded, 0n);
  const slot = builder.consensusTime;
  builder.consensusTime = slot - 20n;
  builder.submit({
    payer: accountOf(state, TREASURY),
    fee: 0n,
    synthetic: true,
    data: {
      $case: 'nodeStakeUpdate',
      nodeStakeUpdate: {
        endOfStakingPeriod: timestampOf(period * settings.stakingPeriodNanos - 1n),
        nodeStake: perNode.map((node, nodeId) => ({
          nodeId: BigInt(nodeId),
          maxStake: MAX_STAKE / BigInt(settings.nodeCount),
          minStake: MAX_STAKE / BigInt(settings.nodeCount) / 4n,
          rewardRate: REWARD_PER_HBAR,
          stake: node.rewarded + node.notRewarded,
          stakeRewarded: node.rewarded,
          stakeNotRewarded: node.notRewarded,
        })),
        maxStakingRewardRatePerHbar: REWARD_PER_HBAR * 2n,
        nodeRewardFeeFraction: { numerator: 1n, denominator: 10n },
        stakingRewardFeeFraction: { numerator: 1n, denominator: 10n },
        stakingPeriodsStored: PERIODS_STORED,
        stakingPeriod: settings.stakingPeriodNanos / NANOS_PER_MINUTE,
        stakingStartThreshold: 0n,
        stakingRewardRate: (total / TINYBARS_PER_HBAR) * REWARD_PER_HBAR,
        reservedStakingRewards: 0n,
        unreservedStakingRewardBalance: accountOf(state, STAKING_REWARD).balance,
        rewardBalanceThreshold: 0n,
        maxStakeRewarded: MAX_STAKE,
        maxTotalReward: MAX_STAKE,
      },
    },
  });
  builder.consensusTime = slot;
};
