/**
 * The simulator: a deterministic network that follows from a seed. It owns simulated nodes and accounts with their keys,
 * the ledger's state in memory, and the folder of signed record files that it writes. It does not read streams back,
 * knows nothing of databases, and has no part in what the importer makes of its files.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { type Chain, chains } from '../config/chain.ts';
import { parseBlockFileName } from '../streams/block/block-file-name.ts';
import type { HapiVersion } from '../streams/record-file-content.ts';
import { BlockNode } from './block-node/block-node.ts';
import { BlockStore } from './block-node/block-store.ts';
import { readKnownLedger } from './block-node/known-ledger.ts';
import { type LedgerFormOptions, ledgerFormOf } from './blocks/ledger-form.ts';
import type { ExpectedLedger } from './expected/expected-ledger.ts';
import type { BlockPlan } from './ledger-plan.ts';
import { parseMix } from './mix.ts';
import type { SimulatedNetwork } from './network/simulated-network.ts';
import type { SystemFile } from './network/system-files.ts';
import { earlyDays } from './opening/early-days.ts';
import { ADDRESS_BOOK_FILE, type BlockSummary, LEDGER_ID_FILE, Simulation } from './simulation.ts';
import { DEFAULT_STAKING_PERIOD_NANOS, IDLE_SINCE_FOUNDING_NANOS, WHOLE_SUPPLY } from './simulator-defaults.ts';
import type { LedgerState } from './state/ledger-state.ts';
import { roomFor, SubmissionQueue } from './submission-queue.ts';
import type { HandleSubmission } from './submissions.ts';

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
  /** Makes a new folder's network one for development, which takes transactions of clients. */
  readonly development?: DevelopmentOptions;
  /** Which files are written; left out: record files. Decided when the folder is made. */
  readonly form?: Omit<LedgerFormOptions, 'signsEvery'>;
  /** Port on which a block node serves the blocks; 0 for any that is free, left out for none. */
  readonly blockNodePort?: number;
  /** Newest blocks whose files stay even after they were imported, 900 by default (half an hour). */
  readonly keepFiles?: number;
  readonly clock?: SimulatorClock;
  readonly logger?: SimulatorLogger;
  /** Ends the simulation; the block in the making is completed. */
  readonly signal?: AbortSignal;
  /** Called when all files of a block are in place. */
  readonly onBlock?: (block: BlockSummary) => void;
}

export interface DevelopmentOptions {
  readonly handleSubmission: HandleSubmission;
  /** System files beside those of every network. */
  readonly files: readonly SystemFile[];
}

/** Where transactions of clients go in. */
export interface SubmissionEntrance {
  readonly network: SimulatedNetwork;
  readonly chain: Chain;
  /** The ledger as the newest block left it. */
  readonly state: LedgerState;
  /** How many transactions wait for their block. */
  readonly waiting: number;
  /** Whether there will be further blocks. */
  readonly isOpen: boolean;
  /** HAPI version that the network speaks now. */
  readonly hapiVersion: HapiVersion;
  /** Takes a transaction into one of the next blocks; the first of those comes within a quarter of a second. */
  submit(transaction: Uint8Array, node: bigint): void;
}

export interface RunningSimulator {
  /** Folder with the `record0.0.<account>` folders. */
  readonly directory: string;
  /** Path of the serialized NodeAddressBook. */
  readonly addressBookFile: string;
  /** Path of the serialized LedgerIdPublicationTransactionBody, where blocks have threshold signatures. */
  readonly ledgerIdFile: string;
  /** Folder `<network>/block` of the blocks. */
  readonly blockDirectory: string;
  /** Where the block node listens, undefined without one. */
  readonly blockNodePort: number | undefined;
  /** Settles when the simulation has ended; rejects when it failed. */
  readonly done: Promise<void>;
  /** Ends the simulation and waits for it. */
  stop(): Promise<void>;
  /** Tells that the importer is done with this file and all before it, so that they may be removed. */
  imported(name: string): void;
  expectedLedger(): ExpectedLedger;
  /** Undefined: the folder's network is none for development. */
  readonly entrance: SubmissionEntrance | undefined;
}

const NANOS_PER_MS = 1_000_000n;
const DEFAULT_BLOCK_INTERVAL_MS = 2_000;
const DEFAULT_USERS = 24;
const DEFAULT_KEPT_FILES = 900;
/** A simulation that fell behind by more than this many blocks leaves them out, as a network that was down. */
const MAX_BLOCKS_BEHIND = 5;
const BLOCKS_BETWEEN_CLEANUPS = 32n;
/** Shortest part of an interval that has a block of its own. */
const SHORTEST_BLOCK_MS = 50;
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

/** User transactions in the interval with this number, or in part of it: fractions add up exactly over time. */
export const transactionsInInterval = (
  interval: number,
  tps: number,
  intervalMs: number,
  fromMs = 0,
  toMs = intervalMs,
): number => {
  const perInterval = (tps * intervalMs) / 1_000;
  const until = (ms: number): number => Math.floor((interval + ms / intervalMs) * perInterval);
  return until(toMs) - until(fromMs);
};

/**
 * Runs the simulated network on the wall clock: one block for every interval, written at its end; an interval without
 * transactions has no file. Where clients wait for what they sent, an interval becomes several blocks. Resolves when genesis and founding are on disk. A folder that was simulated before, also one
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
      files: options.development?.files ?? [],
      form: ledgerFormOf(options.form ?? {}),
    },
    development: options.development !== undefined,
    handleSubmission: options.development?.handleSubmission,
    signed: options.tps <= MAX_HONEST_TPS,
    compressionLevel: 6,
    sync: true,
  });

  const store = await BlockStore.open(simulation.blockFolder);
  const blockNode =
    options.blockNodePort === undefined ? undefined : await startNode(simulation, store, options.blockNodePort);
  const close = async (): Promise<void> => {
    await blockNode?.stop();
    await simulation.close();
  };

  const produce = async (plan: BlockPlan): Promise<void> => {
    const block = await simulation.produce(plan, mix);
    await simulation.settled();
    for (const { number, bytes } of block.blocks) store.add(number, bytes);
    options.onBlock?.(block);
  };

  let nextInterval = Math.floor(clock.now() / intervalMs);
  const firstStart = BigInt(nextInterval) * interval;
  try {
    if (simulation.blockNumber === -1n) {
      await produce({ start: firstStart - IDLE_SINCE_FOUNDING_NANOS, interval, transactions: 0 });
    }
    if (simulation.blockNumber === 0n) {
      await produce({ start: simulation.lastConsensus + interval, interval, transactions: 0 });
    }
    if (mix.introduces) {
      for (const { start, transactions } of earlyDays(firstStart, interval, simulation.blockNumber)) {
        if (start > simulation.lastConsensus) await produce({ start, interval, transactions });
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  logger?.info(
    { directory, seed: options.seed, tps: options.tps, block: simulation.blockNumber },
    'simulated network is up',
  );

  const stopping = new AbortController();
  const signal = options.signal === undefined ? stopping.signal : AbortSignal.any([stopping.signal, options.signal]);
  let importedName = '';
  let importedBlock = -1n;

  const kept = options.keepFiles ?? DEFAULT_KEPT_FILES;
  const cleanUp = async (): Promise<void> => {
    const bases = await simulation.folder.blocks();
    const removable = bases.slice(0, Math.max(0, bases.length - kept));
    for (const base of removable) if (base <= importedName) await simulation.folder.remove(base);
    const numbers = await simulation.blockFolder.numbers();
    const oldest = numbers.slice(0, Math.max(0, numbers.length - kept)).filter((number) => number <= importedBlock);
    for (const number of oldest) {
      store.removeBefore(number + 1n);
      await simulation.blockFolder.remove(number);
    }
  };

  const queue = new SubmissionQueue();
  /** Milliseconds of the interval that are in blocks already. */
  let covered = 0;
  let waking = new AbortController();
  signal.addEventListener('abort', () => waking.abort(), { once: true });

  const sleepFor = async (ms: number): Promise<void> => {
    waking = new AbortController();
    if (!signal.aborted) await clock.sleep(ms, waking.signal);
  };

  /** Makes a block of what is not covered yet of the interval, until so many milliseconds of it; not an empty one. */
  const produceUntil = async (until: number): Promise<void> => {
    const begin = nextInterval * intervalMs;
    const start = BigInt(begin + covered) * NANOS_PER_MS;
    const transactions = transactionsInInterval(nextInterval, options.tps, intervalMs, covered, until);
    const length = BigInt(until - covered) * NANOS_PER_MS;
    covered = until;
    // After the clock was set back, consensus time waits for it.
    if (start <= simulation.lastConsensus) return;
    const submissions = queue.take(begin + until);
    if (transactions === 0 && submissions.length === 0) return;
    const plan = { start, interval: length - roomFor(submissions.length), transactions };
    await produce(submissions.length === 0 ? plan : { ...plan, submissions });
    if ((importedName !== '' || importedBlock >= 0n) && simulation.blockNumber % BLOCKS_BETWEEN_CLEANUPS === 0n)
      await cleanUp();
  };

  /** When clients that wait want a block, milliseconds since the epoch. */
  const dueForClients = (): number =>
    Math.max(queue.due ?? Number.POSITIVE_INFINITY, nextInterval * intervalMs + covered + SHORTEST_BLOCK_MS);

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const due = (nextInterval + 1) * intervalMs;
      const now = clock.now();
      const next = Math.min(due, dueForClients());
      if (now < next) {
        await sleepFor(next - now);
        continue;
      }
      if (now < due) {
        await produceUntil(now - nextInterval * intervalMs);
        continue;
      }
      if (now - due > MAX_BLOCKS_BEHIND * intervalMs) {
        const current = Math.floor(now / intervalMs) - 1;
        logger?.warn({ skipped: current - nextInterval }, 'simulated network was held up and leaves out blocks');
        nextInterval = current;
        covered = 0;
      }
      await produceUntil(intervalMs);
      nextInterval++;
      covered = 0;
    }
    // Who was told that a transaction was taken finds it in the ledger.
    const rest = clock.now() - nextInterval * intervalMs;
    if (queue.length > 0 && rest >= covered + SHORTEST_BLOCK_MS) await produceUntil(Math.min(rest, intervalMs));
  };
  let running = true;
  const done = run()
    .catch((error: unknown) => {
      logger?.error({ error }, 'simulated network failed');
      throw error;
    })
    .finally(() => {
      running = false;
      return close();
    });
  // Whoever awaits `done` gets the failure; nobody has to.
  done.catch(() => undefined);

  return {
    directory,
    addressBookFile: `${directory}/${ADDRESS_BOOK_FILE}`,
    ledgerIdFile: `${directory}/${LEDGER_ID_FILE}`,
    blockDirectory: simulation.blockFolder.path,
    blockNodePort: blockNode?.port,
    done,
    stop: async () => {
      stopping.abort();
      await done;
    },
    imported: (name) => {
      const number = parseBlockFileName(name);
      if (number !== undefined) {
        if (number > importedBlock) importedBlock = number;
        return;
      }
      const base = name.slice(0, name.indexOf('Z') + 1);
      if (base > importedName) importedName = base;
    },
    expectedLedger: () => simulation.expectedLedger(),
    entrance:
      simulation.network.development && options.development !== undefined
        ? {
            network: simulation.network,
            chain: options.chain ?? chains.OTHER,
            state: simulation.state,
            get waiting() {
              return queue.length;
            },
            get hapiVersion() {
              return simulation.hapiVersion;
            },
            get isOpen() {
              return running && !signal.aborted;
            },
            submit: (transaction, node) => {
              queue.add({ transaction, node, arrived: clock.now() });
              waking.abort();
            },
          }
        : undefined,
  };
};

/** @throws the system's error when the port is taken; the folder is given back. */
const startNode = async (simulation: Simulation, store: BlockStore, port: number): Promise<BlockNode> => {
  try {
    const ledger = await readKnownLedger(simulation.directory, simulation.firstSignedBlock);
    return await BlockNode.start({ store, ledger, port });
  } catch (error) {
    await simulation.close();
    throw error;
  }
};
