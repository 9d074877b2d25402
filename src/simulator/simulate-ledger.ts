import { type Chain, chains } from '../config/chain.ts';
import { KagamiError } from '../errors/kagami-error.ts';
import { type LedgerFormOptions, ledgerFormOf } from './blocks/ledger-form.ts';
import type { ExpectedLedger } from './expected/expected-ledger.ts';
import { parseMix } from './mix.ts';
import { EARLY_DAYS, earlyDays } from './opening/early-days.ts';
import { ADDRESS_BOOK_FILE, type BlockSummary, Simulation } from './simulation.ts';
import { DEFAULT_STAKING_PERIOD_NANOS, IDLE_SINCE_FOUNDING_NANOS, WHOLE_SUPPLY } from './simulator-defaults.ts';
import type { HandleSubmission } from './submissions.ts';

const NANOS_PER_MS = 1_000_000n;
const DEFAULT_BLOCK_INTERVAL_MS = 2_000;
/** 2026-01-01T00:00:00Z. */
const DEFAULT_START = 1_767_225_600_000_000_000n;
const DEFAULT_USERS = 500;

export interface SimulateLedgerOptions {
  /** Folder to write to; one that holds a simulated ledger of the same seed and nodes is continued. */
  readonly out: string;
  readonly seed: string;
  /** User transactions in all; give this or `blocks`. */
  readonly transactions?: number;
  /** Blocks of activity, besides genesis and founding. */
  readonly blocks?: number;
  /** User transactions per second of consensus time. */
  readonly tps: number;
  readonly mix?: string;
  readonly nodes?: number;
  readonly blockIntervalMs?: number;
  /** Consensus time at which activity starts, nanoseconds; genesis lies four days before. Not used when continuing. */
  readonly start?: bigint;
  /** Accounts that the founding block creates. */
  readonly users?: number;
  /** Tinybars. */
  readonly supply?: bigint;
  readonly stakingPeriodNanos?: bigint;
  /** Left out: chain id 298, ledger id 0x03. */
  readonly chain?: Chain;
  /** Which files are written; left out: record files. Decided when the folder is made. */
  readonly form?: LedgerFormOptions;
  /** Honest account signatures (about 50 microseconds each) instead of filler. Node signatures are always honest. */
  readonly signTransactions?: boolean;
  /** zlib level of the files, 1 by default. */
  readonly compressionLevel?: number;
  /** For a folder of a network that took transactions of clients, whose newest blocks may have to be made again. */
  readonly handleSubmission?: HandleSubmission;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: SimulationProgress) => void;
}

export interface SimulationProgress {
  readonly blocks: number;
  /** Records written so far, children and system transactions included. */
  readonly transactions: number;
  /** Part of the whole, 0 to 1. */
  readonly done: number;
}

export interface SimulatedLedger {
  readonly blocks: readonly BlockSummary[];
  /** Path of the serialized NodeAddressBook. */
  readonly addressBookFile: string;
  readonly expected: ExpectedLedger;
}

/**
 * Writes a ledger as fast as the machine allows: genesis, founding, then blocks of `tps` until as many transactions or
 * blocks are written as asked for. The same options give the same transactions.
 * @throws KagamiError SIMULATOR_MIX_INVALID, SIMULATOR_FOLDER_BUSY, SIMULATOR_FOLDER_MISMATCH, CONFIG_INVALID.
 */
export const simulateLedger = async (options: SimulateLedgerOptions): Promise<SimulatedLedger> => {
  const mix = parseMix(options.mix ?? '');
  const interval = BigInt(options.blockIntervalMs ?? DEFAULT_BLOCK_INTERVAL_MS) * NANOS_PER_MS;
  const perBlock = Math.floor((options.tps * (options.blockIntervalMs ?? DEFAULT_BLOCK_INTERVAL_MS)) / 1_000);
  const total = options.transactions ?? (options.blocks ?? 0) * perBlock;
  if (perBlock < 1 || total < 0) {
    throw new KagamiError('CONFIG_INVALID', `${options.tps} transactions per second leave blocks empty`);
  }
  const simulation = await Simulation.open({
    directory: options.out,
    seed: options.seed,
    nodeCount: options.nodes ?? 4,
    origin: {
      supply: options.supply ?? WHOLE_SUPPLY,
      users: options.users ?? DEFAULT_USERS,
      stakingPeriodNanos: options.stakingPeriodNanos ?? DEFAULT_STAKING_PERIOD_NANOS,
      chain: options.chain ?? chains.OTHER,
      files: [],
      form: ledgerFormOf(options.form ?? {}),
    },
    development: false,
    handleSubmission: options.handleSubmission,
    signed: options.signTransactions ?? false,
    compressionLevel: options.compressionLevel ?? 1,
    sync: false,
  });
  try {
    const blocks: BlockSummary[] = [];
    let records = 0;
    const produce = async (start: bigint, transactions: number, done: number): Promise<void> => {
      const block = await simulation.produce({ start, interval, transactions }, mix);
      blocks.push(block);
      records += block.count;
      options.onProgress?.({ blocks: blocks.length, transactions: records, done });
    };
    const activityStart = options.start ?? DEFAULT_START;
    const genesis = activityStart - IDLE_SINCE_FOUNDING_NANOS;
    if (simulation.blockNumber === -1n) await produce(genesis, 0, 0);
    if (simulation.blockNumber === 0n) await produce(simulation.lastConsensus + interval, 0, 0);
    if (mix.introduces) {
      for (const { start, transactions } of earlyDays(activityStart, interval, simulation.blockNumber)) {
        if (start > simulation.lastConsensus) await produce(start, transactions, 0);
      }
    }
    const afterLast = (simulation.lastConsensus / interval + 1n) * interval;
    let start =
      simulation.blockNumber <= BigInt(EARLY_DAYS + 1) && activityStart > afterLast ? activityStart : afterLast;
    for (let written = 0; written < total && options.signal?.aborted !== true; start += interval) {
      const count = Math.min(perBlock, total - written);
      written += count;
      await produce(start, count, written / total);
    }
    await simulation.settled();
    return {
      blocks,
      addressBookFile: `${options.out}/${ADDRESS_BOOK_FILE}`,
      expected: simulation.expectedLedger(),
    };
  } finally {
    await simulation.close();
  }
};
