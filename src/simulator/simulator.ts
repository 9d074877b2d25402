/**
 * The simulator: a deterministic network that follows from a seed. It owns simulated nodes and accounts with their keys,
 * the ledger's state in memory, and the folder of signed record files that it writes. It does not read streams back,
 * knows nothing of databases, and has no part in what the importer makes of its files.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Chain, chains } from '../config/chain.ts';
import { earlyDays } from './early-days.ts';
import type { ExpectedLedger } from './expected-ledger.ts';
import { parseMix } from './mix.ts';
import { ADDRESS_BOOK_FILE, type BlockSummary, Simulation } from './simulation.ts';
import { DEFAULT_STAKING_PERIOD_NANOS, IDLE_SINCE_FOUNDING_NANOS, WHOLE_SUPPLY } from './simulator-defaults.ts';

/** Milliseconds since the Unix epoch, and waiting. */
export interface SimulatorClock {
  now(): number;
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export interface SimulatorLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface RunSimulatorOptions {
  /** Folder that the simulated nodes write to; keys and state lie there too. */
  readonly directory: string;
  readonly seed: string;
  /**
   * User transactions per second; fractions are spread over blocks. Up to 100 accounts sign honestly, above that filler
   * takes the place of their signatures; those of nodes are always honest.
   */
  readonly tps: number;
  readonly mix?: string;
  readonly nodes?: number;
  readonly blockIntervalMs?: number;
  /** Tinybars; decided when the folder is made, as are users and staking period. */
  readonly supply?: bigint;
  readonly users?: number;
  readonly stakingPeriodNanos?: bigint;
  /** Left out: chain id 298, ledger id 0x03. */
  readonly chain?: Chain;
  /** Newest blocks whose files stay even after they were imported, 900 by default (half an hour). */
  readonly keepFiles?: number;
  readonly clock?: SimulatorClock;
  readonly logger?: SimulatorLogger;
  /** Ends the simulation; the block in the making is completed. */
  readonly signal?: AbortSignal;
  /** Called when all files of a block are in place. */
  readonly onBlock?: (block: BlockSummary) => void;
}

export interface RunningSimulator {
  /** Folder with the `record0.0.<account>` folders. */
  readonly directory: string;
  /** Path of the serialized NodeAddressBook. */
  readonly addressBookFile: string;
  /** Settles when the simulation has ended; rejects when it failed. */
  readonly done: Promise<void>;
  /** Ends the simulation and waits for it. */
  stop(): Promise<void>;
  /** Tells that the importer is done with this file and all before it, so that they may be removed. */
  imported(name: string): void;
  expectedLedger(): ExpectedLedger;
}

const NANOS_PER_MS = 1_000_000n;
const DEFAULT_BLOCK_INTERVAL_MS = 2_000;
const DEFAULT_USERS = 24;
const DEFAULT_KEPT_FILES = 900;
/** A simulation that fell behind by more than this many blocks leaves them out, as a network that was down. */
const MAX_BLOCKS_BEHIND = 5;
const BLOCKS_BETWEEN_CLEANUPS = 32n;
/** Above this rate, filler takes the place of account signatures, which would keep the machine busy. */
const MAX_HONEST_TPS = 100;

const systemClock: SimulatorClock = {
  now: () => Date.now(),
  sleep: async (milliseconds, signal) => {
    await sleep(milliseconds, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  },
};

/** User transactions in the interval with this number: fractions add up exactly over time. */
export const transactionsInInterval = (interval: number, tps: number, intervalMs: number): number => {
  const perInterval = (tps * intervalMs) / 1_000;
  return Math.floor((interval + 1) * perInterval) - Math.floor(interval * perInterval);
};

/**
 * Runs the simulated network on the wall clock: one block for every interval, written at its end; an interval without
 * transactions has no file. Resolves when genesis and founding are on disk. A folder that was simulated before, also one
 * whose process was killed, goes on where it stopped.
 * @throws KagamiError SIMULATOR_MIX_INVALID, SIMULATOR_FOLDER_BUSY, SIMULATOR_FOLDER_MISMATCH, SIMULATOR_STATE_DAMAGED.
 */
export const runSimulator = async (options: RunSimulatorOptions): Promise<RunningSimulator> => {
  const { directory, clock = systemClock, logger } = options;
  const mix = parseMix(options.mix ?? '');
  const intervalMs = options.blockIntervalMs ?? DEFAULT_BLOCK_INTERVAL_MS;
  const interval = BigInt(intervalMs) * NANOS_PER_MS;
  const simulation = await Simulation.open({
    directory,
    seed: options.seed,
    nodeCount: options.nodes ?? 4,
    origin: {
      supply: options.supply ?? WHOLE_SUPPLY,
      users: options.users ?? DEFAULT_USERS,
      stakingPeriodNanos: options.stakingPeriodNanos ?? DEFAULT_STAKING_PERIOD_NANOS,
      chain: options.chain ?? chains.OTHER,
    },
    signed: options.tps <= MAX_HONEST_TPS,
    compressionLevel: 6,
    sync: true,
  });

  const produce = async (start: bigint, transactions: number): Promise<void> => {
    const block = await simulation.produce({ start, interval, transactions }, mix);
    await simulation.settled();
    options.onBlock?.(block);
  };

  let nextInterval = Math.floor(clock.now() / intervalMs);
  const firstStart = BigInt(nextInterval) * interval;
  try {
    if (simulation.blockNumber === -1n) await produce(firstStart - IDLE_SINCE_FOUNDING_NANOS, 0);
    if (simulation.blockNumber === 0n) await produce(simulation.lastConsensus + interval, 0);
    if (mix.introduces) {
      for (const { start, transactions } of earlyDays(firstStart, interval, simulation.blockNumber)) {
        if (start > simulation.lastConsensus) await produce(start, transactions);
      }
    }
  } catch (error) {
    await simulation.close();
    throw error;
  }
  logger?.info(
    { directory, seed: options.seed, tps: options.tps, block: simulation.blockNumber },
    'simulated network is up',
  );

  const stopping = new AbortController();
  const signal = options.signal === undefined ? stopping.signal : AbortSignal.any([stopping.signal, options.signal]);
  let importedName = '';

  const cleanUp = async (): Promise<void> => {
    const bases = await simulation.folder.blocks();
    const removable = bases.slice(0, Math.max(0, bases.length - (options.keepFiles ?? DEFAULT_KEPT_FILES)));
    for (const base of removable) if (base <= importedName) await simulation.folder.remove(base);
  };

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const due = (nextInterval + 1) * intervalMs;
      const now = clock.now();
      if (now < due) {
        await clock.sleep(due - now, signal);
        continue;
      }
      if (now - due > MAX_BLOCKS_BEHIND * intervalMs) {
        const current = Math.floor(now / intervalMs) - 1;
        logger?.warn({ skipped: current - nextInterval }, 'simulated network was held up and leaves out blocks');
        nextInterval = current;
      }
      const start = BigInt(nextInterval) * interval;
      const transactions = transactionsInInterval(nextInterval, options.tps, intervalMs);
      nextInterval++;
      // After the clock was set back, consensus time waits for it.
      if (transactions === 0 || start <= simulation.lastConsensus) continue;
      await produce(start, transactions);
      if (importedName !== '' && simulation.blockNumber % BLOCKS_BETWEEN_CLEANUPS === 0n) await cleanUp();
    }
  };
  const done = run()
    .catch((error: unknown) => {
      logger?.error({ error }, 'simulated network failed');
      throw error;
    })
    .finally(() => simulation.close());
  // Whoever awaits `done` gets the failure; nobody has to.
  done.catch(() => undefined);

  return {
    directory,
    addressBookFile: `${directory}/${ADDRESS_BOOK_FILE}`,
    done,
    stop: async () => {
      stopping.abort();
      await done;
    },
    imported: (name) => {
      const base = name.slice(0, name.indexOf('Z') + 1);
      if (base > importedName) importedName = base;
    },
    expectedLedger: () => simulation.expectedLedger(),
  };
};
