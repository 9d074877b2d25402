import type { BlockBuilder } from '../records/block-builder.ts';
import type { HbarChange } from '../records/draft.ts';
import { accountId, timestampOf } from '../records/proto-ids.ts';
import { accountOf } from '../state/account-book.ts';
import { shareFees } from './fee-schedule.ts';
import { PERIODS_STORED, REWARD_PER_HBAR, rewardOf, TINYBARS_PER_HBAR } from './staking-rewards.ts';
import {
  FEE_ACCOUNT,
  FEE_COLLECTION,
  NODE_REWARD,
  STAKING_REWARD,
  SYSTEM_UPDATER,
  TREASURY,
} from './system-accounts.ts';

const NANOS_PER_MINUTE = 60_000_000_000n;
/** Stake of a node that counts: at most its share of the supply, and nothing below a quarter of that. */
const MIN_STAKE_PART = 4n;
/** Rewards begin with this much staked, are at their full rate up to this much rewarded, in percent of the supply. */
const START_PERCENT = 1n;
const MAX_REWARDED_PERCENT = 75n;
/** Part of the supply that the reward account must be able to spare for rewards at the full rate: 85 million hbar. */
const THRESHOLD = { numerator: 17n, denominator: 10_000n } as const;

interface Stakes {
  /** Tinybars by node id. */
  readonly nodes: readonly { rewarded: bigint; notRewarded: bigint }[];
  /** All tinybars that there are. */
  readonly supply: bigint;
  /** Tinybars that accounts have earned and not been paid. */
  readonly due: bigint;
}

const stakes = ({ state, settings }: BlockBuilder): Stakes => {
  const nodes = Array.from({ length: settings.nodeCount }, () => ({ rewarded: 0n, notRewarded: 0n }));
  let supply = 0n;
  let due = 0n;
  for (const account of state.accounts.values()) {
    supply += account.balance;
    const node = account.stakedNodeId === undefined ? undefined : nodes[account.stakedNodeId];
    if (node === undefined || account.deleted) continue;
    if (account.declineReward) {
      node.notRewarded += account.balance;
    } else {
      node.rewarded += account.balance;
      due += rewardOf(account, state.stakingPeriod);
    }
  }
  return { nodes, supply, due };
};

/**
 * Pays out the fees that were collected ([HIP-1259](https://hips.hedera.com/hip/hip-1259)): what nodes earned to their
 * accounts, the rest to the network's, in one transfer of the network itself.
 */
const distributeFees = (builder: BlockBuilder): void => {
  const { state } = builder;
  const collection = accountOf(state, FEE_COLLECTION);
  const collected = collection.balance;
  const payments: HbarChange[] = [];
  const pay = (num: bigint, amount: bigint): void => {
    if (amount > 0n) payments.push({ account: accountOf(state, num), amount });
  };
  let earned = 0n;
  for (const [num, amount] of [...state.nodeFees].toSorted(([one], [other]) => Number(one - other))) {
    // What a node without account earned stays with the rest.
    if (state.accounts.get(num)?.deleted !== false) continue;
    pay(num, amount);
    earned += amount;
  }
  state.nodeFees.clear();
  if (collected === 0n) return;
  const { network, stakingReward, nodeReward } = shareFees(collected - earned);
  pay(NODE_REWARD, nodeReward);
  pay(STAKING_REWARD, stakingReward);
  pay(FEE_ACCOUNT, network);
  const hbar = [...payments, { account: collection, amount: -collected }];
  builder.submit({
    payer: accountOf(state, SYSTEM_UPDATER),
    fee: 0n,
    synthetic: true,
    memo: 'Synthetic node fees payment',
    data: {
      $case: 'cryptoTransfer',
      cryptoTransfer: {
        transfers: {
          accountAmounts: hbar.map(({ account, amount }) => ({ accountID: accountId(account.num), amount })),
        },
      },
    },
    hbar,
  });
};

/**
 * Pays fees and submits the node stake update when a staking period ended since the newest one. Takes moments just before
 * the builder's slot.
 */
export const updateStakes = (builder: BlockBuilder): void => {
  const { state, settings } = builder;
  const period = builder.consensusTime / settings.stakingPeriodNanos;
  if (period <= state.stakingPeriod) return;
  const slot = builder.consensusTime;
  if (state.stakingPeriod > 0n) {
    builder.consensusTime = slot - 25n;
    distributeFees(builder);
  }
  state.stakingPeriod = period;
  const { nodes, supply, due } = stakes(builder);
  const rewarded = nodes.reduce((sum, node) => sum + node.rewarded, 0n);
  const maxStake = supply / BigInt(settings.nodeCount);
  const minStake = maxStake / MIN_STAKE_PART;
  const maxRewarded = (supply * MAX_REWARDED_PERCENT) / 100n;
  const { numerator, denominator } = THRESHOLD;
  const fund = accountOf(state, STAKING_REWARD).balance;
  builder.consensusTime = slot - 20n;
  builder.submit({
    payer: accountOf(state, TREASURY),
    fee: 0n,
    synthetic: true,
    data: {
      $case: 'nodeStakeUpdate',
      nodeStakeUpdate: {
        endOfStakingPeriod: timestampOf(period * settings.stakingPeriodNanos - 1n),
        nodeStake: nodes.map(({ rewarded: stakeRewarded, notRewarded: stakeNotRewarded }, nodeId) => {
          const stake = stakeRewarded + stakeNotRewarded;
          return {
            nodeId: BigInt(nodeId),
            maxStake,
            minStake,
            rewardRate: REWARD_PER_HBAR,
            stake: stake > maxStake ? maxStake : stake < minStake ? 0n : stake,
            stakeRewarded,
            stakeNotRewarded,
          };
        }),
        maxStakingRewardRatePerHbar: REWARD_PER_HBAR,
        nodeRewardFeeFraction: { numerator: 1n, denominator: 10n },
        stakingRewardFeeFraction: { numerator: 1n, denominator: 10n },
        stakingPeriodsStored: PERIODS_STORED,
        stakingPeriod: settings.stakingPeriodNanos / NANOS_PER_MINUTE,
        stakingStartThreshold: (supply * START_PERCENT) / 100n,
        stakingRewardRate: (rewarded / TINYBARS_PER_HBAR) * REWARD_PER_HBAR,
        reservedStakingRewards: due,
        unreservedStakingRewardBalance: fund > due ? fund - due : 0n,
        rewardBalanceThreshold: (supply * numerator) / denominator,
        maxStakeRewarded: maxRewarded,
        maxTotalReward: (maxRewarded / TINYBARS_PER_HBAR) * REWARD_PER_HBAR,
      },
    },
  });
  builder.consensusTime = slot;
};
