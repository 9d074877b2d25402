/** Keeps stakes and pending rewards up to the newest staking period, one period at a time and beside the import. */
import { type BackgroundContext, BackgroundWork, interruptibleTransaction } from '../pipeline/background-work.ts';
import type { CommittedBlocks } from '../pipeline/block-commit.ts';
import { endRewardPeriod, nextRewardPeriod, type RewardPeriod, type StakingNetwork } from './reward-period.ts';

export interface PendingRewardsOptions extends BackgroundContext {
  readonly network: StakingNetwork;
  readonly onFault: (fault: unknown) => void;
  readonly onPeriod?: (period: RewardPeriod) => void;
}

export class PendingRewards {
  readonly #options: PendingRewardsOptions;
  readonly #work: BackgroundWork;
  /** Periods may be open: some ended since the last run that came to its end. */
  #behind = true;

  constructor(options: PendingRewardsOptions) {
    this.#options = options;
    this.#work = new BackgroundWork({
      run: () => this.#catchUp(),
      onFault: options.onFault,
      signal: options.signal,
    });
  }

  /** Does the periods that an earlier importer left open. */
  start(): void {
    this.#work.request();
  }

  /** Does the periods that the blocks end. Returns at once. */
  afterCommit({ electorateChanged }: Pick<CommittedBlocks, 'electorateChanged'>): void {
    if (electorateChanged) this.#behind = true;
    if (this.#behind) this.#work.request();
  }

  /** Resolves when every period that was open is done, or given up. */
  settle(): Promise<void> {
    return this.#work.settle();
  }

  async #catchUp(): Promise<void> {
    this.#behind = false;
    try {
      while (!this.#options.signal.aborted && (await this.#endNextPeriod()));
    } catch (fault) {
      this.#behind = true;
      throw fault;
    }
  }

  async #endNextPeriod(): Promise<boolean> {
    const { network, onPeriod } = this.#options;
    if ((await nextRewardPeriod(this.#options.database, network)) === undefined) return false;
    const done = await interruptibleTransaction(this.#options, async (client) => {
      const period = await nextRewardPeriod(client, network);
      if (period === undefined) return undefined;
      return (await endRewardPeriod(client, network, period)) === 0n ? undefined : period;
    });
    if (done === undefined) return false;
    onPeriod?.(done);
    return true;
  }
}
