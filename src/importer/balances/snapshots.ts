/** Takes balance snapshots after commits, one at a time and beside the import. */
import type { SettingsOf } from '../../config/setting.ts';
import type { historicalBalanceSettings } from '../../config/settings/balances.ts';
import { advisoryLockSpace, advisoryLocks } from '../../database/advisory-locks.ts';
import { createPartitionsAhead } from '../../database/partitions.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import { type BackgroundContext, BackgroundWork, interruptibleTransaction } from '../pipeline/background-work.ts';
import type { CommittedBlocks } from '../pipeline/block-commit.ts';
import {
  type BalanceSnapshot,
  ensureTreasury,
  nextSnapshotDue,
  type SnapshotNetwork,
  type SnapshotTiming,
  takeSnapshotIfDue,
} from './snapshot.ts';

export interface BalanceSnapshotsOptions extends BackgroundContext {
  readonly network: SnapshotNetwork;
  readonly settings: Omit<SettingsOf<typeof historicalBalanceSettings>, 'enabled'>;
  readonly onFault: (fault: unknown) => void;
  readonly onSnapshot?: (snapshot: BalanceSnapshot) => void;
}

const NANOS_PER_MS = 1_000_000n;

export class BalanceSnapshots {
  readonly #options: BalanceSnapshotsOptions;
  readonly #timing: SnapshotTiming;
  readonly #work: BackgroundWork;
  /** No block before this time makes a snapshot due. */
  #nextDue: Nanos = 0n;
  #treasuryExists = false;

  constructor(options: BalanceSnapshotsOptions) {
    this.#options = options;
    this.#timing = {
      minFrequency: BigInt(options.settings.minFrequency) * NANOS_PER_MS,
      initialDelay: BigInt(options.settings.initialDelay) * NANOS_PER_MS,
    };
    this.#work = new BackgroundWork({
      run: () => this.#takeIfDue(),
      onFault: options.onFault,
      signal: options.signal,
    });
  }

  /** Takes the snapshot that an importer left undone that ended after its last commit. */
  start(): void {
    this.#work.request();
  }

  /** Takes a snapshot if the blocks make one due. Returns at once. */
  afterCommit({ consensusEnd }: Pick<CommittedBlocks, 'consensusEnd'>): void {
    if (consensusEnd >= this.#nextDue) this.#work.request();
  }

  /** Resolves when every snapshot that was due is taken, or given up. */
  settle(): Promise<void> {
    return this.#work.settle();
  }

  async #takeIfDue(): Promise<void> {
    const { database, network, settings, signal, onSnapshot } = this.#options;
    const newest = await this.#newestIfDue();
    if (newest === undefined) return;
    await this.#ensureTreasury();
    await this.#ensurePartition(newest);
    const snapshot = await interruptibleTransaction(
      {
        database,
        lease: this.#options.lease,
        signal: AbortSignal.any([signal, AbortSignal.timeout(settings.transactionTimeout)]),
      },
      (client) => takeSnapshotIfDue(client, { network, timing: this.#timing, tokenBalances: settings.tokenBalances }),
    );
    if (snapshot === undefined) return;
    this.#nextDue = snapshot.timestamp + this.#timing.minFrequency;
    onSnapshot?.(snapshot);
  }

  async #newestIfDue(): Promise<Nanos | undefined> {
    const { database } = this.#options;
    const due = await nextSnapshotDue(database, this.#timing);
    if (due === undefined) return undefined;
    this.#nextDue = due;
    const [block] = await database.query<{ newest: string | null }>(
      'select max(consensus_end) as newest from record_file where consensus_end >= $1',
      [due],
    );
    return block?.newest == null ? undefined : BigInt(block.newest);
  }

  async #ensureTreasury(): Promise<void> {
    if (this.#treasuryExists) return;
    const { database, lease, network } = this.#options;
    await database.transaction(async (client) => {
      await lease.check(client);
      await ensureTreasury(client, network);
    });
    this.#treasuryExists = true;
  }

  /** Partitions are made a month ahead every day; this is for an importer that ran without that, or a clock that leapt. */
  async #ensurePartition(timestamp: Nanos): Promise<void> {
    const { database } = this.#options;
    if (await this.#hasPartition(timestamp)) return;
    await database.transaction(async (client) => {
      await client.query('select pg_advisory_xact_lock($1, $2)', [advisoryLockSpace, advisoryLocks.migration]);
      await createPartitionsAhead(client);
    });
    if (await this.#hasPartition(timestamp)) return;
    throw new KagamiError('BALANCE_PARTITION_MISSING', `No partition takes balances of the time ${timestamp}`, {
      details: { timestamp },
    });
  }

  async #hasPartition(timestamp: Nanos): Promise<boolean> {
    const rows = await this.#options.database.query(
      `select from mirror_node_time_partitions
       where parent = 'account_balance' and from_timestamp <= $1 and to_timestamp > $1`,
      [timestamp],
    );
    return rows.length > 0;
  }
}
