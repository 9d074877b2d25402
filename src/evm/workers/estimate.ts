/** The search for a gas limit with which a call succeeds. */
import { isKagamiError } from '../../errors/kagami-error.ts';
import type { RunOutcome } from '../engine/run.ts';
import type { EstimateSettings } from './simulation-settings.ts';

export interface Estimate {
  /** The least limit that is known to suffice. */
  readonly gas: bigint;
  /** Runs of the search, without the first one. */
  readonly rounds: number;
}

const distance = (a: bigint, b: bigint): bigint => (a > b ? a - b : b - a);

/**
 * Halves the range between what the first run used and the limit it was given, until two limits are close to each other.
 * A run that ends with an error (of the database, or at the deadline) ends the search: what is known by then suffices.
 * One that was interrupted is asked for anew.
 *
 * @param limit of the first run, which succeeded and used `used`
 * @param run executes the same call with another limit on the same state
 * @throws KagamiError SIMULATION_INTERRUPTED
 */
export const searchGasLimit = async (
  used: bigint,
  limit: bigint,
  run: (gas: bigint) => Promise<Pick<RunOutcome, 'status' | 'gasUsed'>>,
  { threshold, mostRounds }: EstimateSettings,
): Promise<Estimate> => {
  if (used >= limit) return { gas: used, rounds: 0 };
  const close = BigInt(Math.floor(Number(used) * threshold));
  let low = used;
  let high = limit;
  let previous = used;
  let rounds = 0;
  while (low + 1n < high && rounds < mostRounds) {
    const middle = (high + low) / 2n;
    rounds++;
    let suffices: boolean;
    try {
      const { status, gasUsed } = await run(middle);
      suffices = status === 'SUCCESS' && gasUsed > 0n;
    } catch (error) {
      if (isKagamiError(error, 'SIMULATION_INTERRUPTED')) throw error;
      break;
    }
    if (suffices) {
      high = middle;
      if (distance(previous, middle) < close) break;
    } else {
      low = middle;
    }
    previous = middle;
  }
  return { gas: high, rounds };
};
