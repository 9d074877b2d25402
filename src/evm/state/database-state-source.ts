/** The state of a ledger's blocks, from its database. One source serves all runs of a thread. */
import type { Database } from '../../database/connection.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { BlockReads } from './database-blocks.ts';
import { CodeReads } from './database-code.ts';
import { type CacheLimits, databaseReader, type SharedReads } from './database-reader.ts';
import { HotSlots } from './hot-slots.ts';
import { LruMap } from './lru-map.ts';
import { findSnapshot, type Past, type SnapshotTime } from './moment.ts';
import { type RateFiles, type RatesContext, ratesAt, readRateFiles, startOfHour } from './network-rates.ts';
import { ReadCache } from './read-cache.ts';
import type { StateReader } from './state-reader.ts';
import type { StateSource } from './state-source.ts';

export interface StateSourceOptions {
  readonly shard: bigint;
  readonly realm: bigint;
  /** How many versions of a system file are tried until one can be decoded: `hiero.mirror.web3.evm.maxFileAttempts`. */
  readonly maxFileAttempts: number;
}

const latestLimits: CacheLimits = { slots: 25_000, records: 10_000 };
const pastLimits: CacheLimits = { slots: 5_000, records: 1_000 };

/** Past moments whose reads are kept, so that runs on the same block share them. */
const PAST_MOMENTS = 16;
const KEPT_CODES = 1_000;
const KEPT_HOURS = 4;

const TREASURY = 2n;

/** Asks once; after a failure again. */
const once = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let asked: Promise<T> | undefined;
  return () => {
    asked ??= ask().catch((fault: unknown) => {
      asked = undefined;
      throw fault;
    });
    return asked;
  };
};

/**
 * What it reads is kept until `onBlockCommitted` says that a newer block is there: call it for every announced commit.
 * @param db of which the source is no owner: the caller closes it
 */
export const openStateSource = (db: Database, options: StateSourceOptions): StateSource => {
  const { shard, realm, maxFileAttempts } = options;
  const treasuryId = encodeEntityId(shard, realm, TREASURY);
  const shared: SharedReads = {
    code: new CodeReads(db, KEPT_CODES),
    hotSlots: new HotSlots({ perContract: 1_500, inAll: 200_000 }),
  };
  const ratesContext: RatesContext = { db, shard, realm, maxFileAttempts };
  const blocks = new BlockReads(db);
  const latest = databaseReader({ db }, shared, latestLimits);
  const past = new LruMap<bigint, StateReader>(PAST_MOMENTS);
  const rateFiles = new ReadCache<bigint, RateFiles>({
    keyOf: (hour) => hour,
    load: (hours) => Promise.all(hours.map((hour) => readRateFiles(ratesContext, hour))),
    limit: KEPT_HOURS,
  });

  const readerAt = (at: bigint): StateReader => {
    const moment: Past = { db, at, snapshot: once<SnapshotTime | undefined>(() => findSnapshot(db, treasuryId, at)) };
    return databaseReader(moment, shared, pastLimits);
  };

  return {
    block: (choice) => blocks.chosen(choice),
    blockOf: (timestamp) => blocks.at(timestamp),
    latest: () => latest,
    at: (timestamp) => {
      const kept = past.get(timestamp);
      if (kept !== undefined) return kept;
      const reader = readerAt(timestamp);
      past.set(timestamp, reader);
      return reader;
    },
    rates: async (now) => ratesAt(await rateFiles.read(startOfHour(now)), now),
    onBlockCommitted: () => {
      latest.clear();
      past.clear();
      blocks.clear();
      rateFiles.clear();
      shared.code.clear();
    },
  };
};
