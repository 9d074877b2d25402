/** What a run sees besides the state: its block, the network, the rates of the moment. */
import { NANOS_PER_SECOND } from '../../ledger/timestamp.ts';
import type { RunEnvironment } from '../engine/run.ts';
import { versionAt } from '../engine/versions.ts';
import type { BlockRecord, StateSource } from '../state/state-source.ts';
import type { World } from '../state/world.ts';
import type { SimulationSettings } from './simulation-settings.ts';

const VISIBLE_HASH_BYTES = 32;

export interface EnvironmentOptions {
  readonly source: StateSource;
  readonly settings: SimulationSettings;
  /** Nanoseconds since the epoch. */
  readonly clock: () => bigint;
}

/** First bytes of the hashes of blocks up to the current one. */
const blockHashes = (source: StateSource, current: BlockRecord) => async (number: bigint) => {
  if (number < 0n || number > current.index) return undefined;
  const block = number === current.index ? current : await source.block({ kind: 'number', number });
  return block?.hash.slice(0, VISIBLE_HASH_BYTES);
};

/** @param isLatest whether the newest block was asked for as such, and not by its number */
export const runEnvironment = async (
  block: BlockRecord,
  isLatest: boolean,
  world: World,
  deadlineMs: number,
  { source, settings, clock }: EnvironmentOptions,
): Promise<RunEnvironment> => {
  const { latestVersion, versions, network, minimumAccountBalance } = settings;
  const now = clock();
  const { exchangeRate, gasPriceMilliTinycents } = await source.rates(now);
  return {
    world,
    block: { number: block.index, timestamp: block.consensusStart / NANOS_PER_SECOND, hash: block.hash },
    network,
    version: isLatest ? latestVersion : versionAt(versions, block.index),
    exchangeRate,
    gasPriceMilliTinycents,
    now,
    blockHash: blockHashes(source, block),
    deadlineMs,
    minimumAccountBalance,
  };
};
