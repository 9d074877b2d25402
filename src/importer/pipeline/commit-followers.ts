/** What is done beside the import once blocks are visible: balance snapshots and pending staking rewards. */
import { BalanceSnapshots } from '../balances/snapshots.ts';
import { PendingRewards } from '../staking/pending-rewards.ts';
import type { NetworkIds } from './address-books.ts';
import type { BackgroundContext } from './background-work.ts';
import type { CommittedBlocks } from './block-commit.ts';
import type { ImporterSettings } from './importer-settings.ts';

export type FollowingWork = 'balance snapshot' | 'pending rewards';

export interface CommitFollower {
  /** Does what an earlier importer left undone. */
  start(): void;
  /** Does what the blocks call for, some time after; returns at once. */
  afterCommit(blocks: CommittedBlocks): void;
  /** Resolves when nothing is left to do, or what is left was given up. */
  settle(): Promise<void>;
}

export interface FollowerOptions extends BackgroundContext {
  readonly settings: ImporterSettings;
  readonly network: NetworkIds;
  /** Tables lack the indexes by which pending rewards read. */
  readonly bulk: boolean;
  readonly onFault: (work: FollowingWork, fault: unknown) => void;
}

/** All that the settings ask for, as one. */
export const commitFollowers = (options: FollowerOptions): CommitFollower => {
  const { settings, bulk, onFault } = options;
  const { historicalBalance, entity } = settings.parser.record;
  const followers: CommitFollower[] = [];
  // Without balances to follow, snapshots would keep those of an earlier time as if they still held.
  if (historicalBalance.enabled && entity.persist.trackBalance) {
    followers.push(
      new BalanceSnapshots({
        ...options,
        settings: historicalBalance,
        onFault: (fault) => onFault('balance snapshot', fault),
      }),
    );
  }
  if (entity.persist.pendingReward && !bulk) {
    followers.push(new PendingRewards({ ...options, onFault: (fault) => onFault('pending rewards', fault) }));
  }
  return {
    start: () => {
      for (const follower of followers) follower.start();
    },
    afterCommit: (blocks) => {
      for (const follower of followers) follower.afterCommit(blocks);
    },
    settle: async () => {
      for (const follower of followers) await follower.settle();
    },
  };
};

/** Does all that is left undone, where no import is at work. */
export const followUp = async (options: FollowerOptions): Promise<void> => {
  const followers = commitFollowers(options);
  followers.start();
  await followers.settle();
};
