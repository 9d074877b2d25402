import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from './connection.ts';
import { keepPartitionsAhead } from './partitions.ts';

describe('keepPartitionsAhead', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.parse('2024-02-28T22:00:00Z') });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Records the statements of each transaction, and fails in the given ones. */
  const recorder = (failing: readonly number[]): { database: Database; statements: string[][] } => {
    const statements: string[][] = [];
    const transaction = async <T>(work: (client: never) => Promise<T>): Promise<T> => {
      const ran: string[] = [];
      statements.push(ran);
      if (failing.includes(statements.length)) throw new Error('no connection');
      return work({ query: async (text: string) => ran.push(text.replace(/\(.*\)/, '')) } as never);
    };
    return { database: { transaction } as unknown as Database, statements };
  };

  it('makes partitions after every midnight UTC, under the lock, whether or not the last time failed', async () => {
    const { database, statements } = recorder([1]);
    const errors: unknown[] = [];
    const keeper = keepPartitionsAhead(database, (error) => errors.push(error));
    await vi.advanceTimersByTimeAsync(2 * 3_600_000);
    expect(statements).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(statements.length).toBe(1);
    expect(errors).toEqual([new Error('no connection')]);
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    expect(statements[1]).toEqual(['select pg_advisory_xact_lock', 'call create_mirror_node_time_partitions']);
    keeper.stop();
    await vi.advanceTimersByTimeAsync(48 * 3_600_000);
    expect(statements.length).toBe(2);
  });
});
