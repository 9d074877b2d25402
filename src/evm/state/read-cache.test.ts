import { describe, expect, it } from 'vitest';
import { ReadCache } from './read-cache.ts';

/** Loads that wait until they are answered, in order. */
const controlled = (limit = 10) => {
  const loads: {
    keys: readonly string[];
    answer: (values: readonly number[]) => void;
    fail: (fault: Error) => void;
  }[] = [];
  const cache = new ReadCache<string, number>({
    keyOf: (key) => key,
    load: (keys) => new Promise((answer, fail) => loads.push({ keys, answer, fail })),
    limit,
  });
  return { cache, loads };
};

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('reads', () => {
  it('that are asked for in one turn go out together, each once', async () => {
    const { cache, loads } = controlled();
    const reads = [cache.read('a'), cache.read('b'), cache.read('a')];
    await turn();
    expect(loads.map(({ keys }) => keys)).toEqual([['a', 'b']]);
    const late = cache.read('b');
    loads[0]?.answer([1, 2]);
    expect(await Promise.all([...reads, late])).toEqual([1, 2, 1, 2]);
    expect(await cache.read('a')).toBe(1);
    expect(loads).toHaveLength(1);
  });

  it('that began before a change are not kept after it', async () => {
    const { cache, loads } = controlled();
    const before = cache.read('a');
    await turn();
    cache.clear();
    const after = cache.read('a');
    await turn();
    loads[1]?.answer([2]);
    loads[0]?.answer([1]);
    expect([await before, await after, await cache.read('a')]).toEqual([1, 2, 2]);
  });

  it('that fail are tried again', async () => {
    const { cache, loads } = controlled();
    const failing = [cache.read('a'), cache.read('b')];
    await turn();
    loads[0]?.fail(new Error('gone'));
    const outcomes = await Promise.allSettled(failing);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const again = cache.read('a');
    await turn();
    loads[1]?.answer([3]);
    expect(await again).toBe(3);
  });

  it('that are least recently used are forgotten first', async () => {
    let loaded: string[] = [];
    const cache = new ReadCache<string, string>({
      keyOf: (key) => key,
      load: async (keys) => {
        loaded.push(...keys);
        return keys;
      },
      limit: 2,
    });
    for (const key of ['a', 'b', 'a', 'c', 'a']) await cache.read(key);
    expect(loaded).toEqual(['a', 'b', 'c']);
    loaded = [];
    await cache.read('b');
    expect(loaded).toEqual(['b']);
    expect(cache.size).toBe(2);
  });
});
