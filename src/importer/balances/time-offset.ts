/**
 * Balance files of mainnet whose balances are not those of the time they state: which transactions they hold is told by
 * an offset to that time.
 */
import { readFileSync } from 'node:fs';
import type { Nanos } from '../../ledger/timestamp.ts';
import { networkName } from '../networks/network-preset.ts';

/** All files of this period, inclusive, hold transactions of up to 53 nanoseconds after the time they state. */
const LATE_FROM: Nanos = 1_658_420_100_626_004_000n;
const LATE_TO: Nanos = 1_666_368_000_880_378_770n;
const LATE_OFFSET = 53;

/** Files of 2019 and 2020 that lack the transaction of their own time. */
const EARLY_OFFSET = -1;

const QUARTER_HOUR: Nanos = 900_000_000_000n;
const DIGITS_BASE = 36;

/** Nanoseconds to add to the consensus time of a balance file to get the time of the last transaction it holds. */
export type TimeOffsetOf = (consensusTimestamp: Nanos) => number;

/** @param network setting `hiero.mirror.importer.network`; only mainnet has such files */
export const timeOffsets = (network: string): TimeOffsetOf => {
  if (networkName(network) !== 'mainnet') return () => 0;
  const early = readEarlyFiles();
  return (consensusTimestamp) => {
    if (early.has(consensusTimestamp)) return EARLY_OFFSET;
    return consensusTimestamp >= LATE_FROM && consensusTimestamp <= LATE_TO ? LATE_OFFSET : 0;
  };
};

/**
 * Files came every quarter of an hour, a little late. Each entry is how late in nanoseconds, to base 36; `n:` before it
 * says that n quarters have passed since the entry before, not one.
 */
interface EarlyFiles {
  readonly firstQuarterHour: number;
  readonly files: readonly string[];
}

const readEarlyFiles = (): ReadonlySet<Nanos> => {
  const text = readFileSync(new URL('../networks/mainnet-balance-offsets.json', import.meta.url), 'utf8');
  const { firstQuarterHour, files } = JSON.parse(text) as EarlyFiles;
  const times = new Set<Nanos>();
  let quarter = firstQuarterHour - 1;
  for (const entry of files.flatMap((line) => line.split(' '))) {
    const [late = '', passed = '1'] = entry.split(':').reverse();
    quarter += Number.parseInt(passed, DIGITS_BASE);
    times.add(BigInt(quarter) * QUARTER_HOUR + BigInt(Number.parseInt(late, DIGITS_BASE)));
  }
  return times;
};
