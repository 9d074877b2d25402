/** Waiting for a database that comes up later than Kagami, as in a set of containers started together. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isKagamiError } from '../../errors/kagami-error.ts';

export interface StartupPatience {
  readonly enabled: boolean;
  /** Milliseconds. */
  readonly interval: number;
  /** Milliseconds. */
  readonly timeout: number;
}

/**
 * Repeats `attempt` while the database does not answer.
 * @throws what `attempt` throws last, and the signal's reason
 */
export const awaitDatabase = async <T>(
  attempt: () => Promise<T>,
  patience: StartupPatience,
  logger: Logger,
  signal: AbortSignal,
): Promise<T> => {
  const deadline = performance.now() + patience.timeout;
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      const later = performance.now() + patience.interval;
      if (!patience.enabled || later > deadline || !isKagamiError(error, 'DATABASE_UNAVAILABLE')) throw error;
      if (attempts === 1) logger.warn(`${error.message}; trying again for ${Math.round(patience.timeout / 1_000)}s`);
      await pause(patience.interval, undefined, { signal });
    }
  }
};
