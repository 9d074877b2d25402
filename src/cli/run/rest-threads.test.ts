import { expect, it } from 'vitest';
import { loadSettings } from '../../config/load.ts';
import { restThreadCount, settingsOfThread } from './rest-threads.ts';

const { rest } = loadSettings({ cwd: '/', env: {}, files: [], readFile: () => undefined }).settings.hiero.mirror;

it.each([
  [0, 1, 1],
  [0, 2, 1],
  [0, 8, 7],
  [3, 1, 3],
  [1, 8, 1],
])('where %i threads are wanted on %i processors there are %i', (wanted, processors, threads) => {
  expect(restThreadCount(wanted, processors)).toBe(threads);
});

it('gives one thread everything', () => {
  expect(settingsOfThread(rest, 1)).toBe(rest);
});

it('divides connections and turns of searches, of connections no less than four for each', () => {
  const all = {
    ...rest,
    query: { ...rest.query, maxSearches: 5, maxWaitingSearches: 50 },
    db: { ...rest.db, pool: { ...rest.db.pool, maxConnections: 20 } },
  };
  const shares = [2, 7].map((threads) => settingsOfThread(all, threads));
  expect(shares.map(({ query, db }) => [query.maxSearches, query.maxWaitingSearches, db.pool.maxConnections])).toEqual([
    [3, 25, 10],
    [1, 8, 4],
  ]);
  expect(settingsOfThread(rest, 3).query.maxSearches).toBe(0);
});
