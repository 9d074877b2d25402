import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerCache, type MadeAnswer } from './answer-cache.ts';
import type { StoredAnswer } from './stored-answer.ts';

const answer = (text: string): StoredAnswer => ({
  status: 200,
  body: Buffer.from(text),
  headers: {},
  entityTag: undefined,
  route: undefined,
  deliveries: new Map(),
});

const made = (text: string, keepMs = 1000): Promise<MadeAnswer> => Promise.resolve({ answer: answer(text), keepMs });

const textOf = (stored: StoredAnswer | undefined): string | undefined => stored?.body.toString();

describe('AnswerCache', () => {
  it('makes an answer once', async () => {
    const cache = new AnswerCache(100_000);
    expect(textOf(await cache.getOrMake('/a', () => made('1')))).toBe('1');
    expect(textOf(await cache.getOrMake('/a', () => made('2')))).toBe('1');
    expect(textOf(cache.get('/a'))).toBe('1');
    expect(textOf(await cache.getOrMake('/b', () => made('2')))).toBe('2');
  });

  it('shares the making of an answer', async () => {
    const cache = new AnswerCache(100_000);
    let makings = 0;
    const make = async (): Promise<MadeAnswer> => {
      makings++;
      await Promise.resolve();
      return made('1', 0);
    };
    const both = await Promise.all([cache.getOrMake('/a', make), cache.getOrMake('/a', make)]);
    expect(both.map(textOf)).toEqual(['1', '1']);
    expect(makings).toBe(1);
    await cache.getOrMake('/a', make);
    expect(makings).toBe(2);
  });

  it('forgets everything with a commit', async () => {
    const cache = new AnswerCache(100_000);
    await cache.getOrMake('/a', () => made('1'));
    cache.clear();
    expect(cache.get('/a')).toBeUndefined();
    expect(cache.bytes).toBe(0);
    expect(textOf(await cache.getOrMake('/a', () => made('2')))).toBe('2');
  });

  it('does not keep what was made across a commit, nor give it to who asks afterwards', async () => {
    const cache = new AnswerCache(100_000);
    const first = Promise.withResolvers<MadeAnswer>();
    const before = cache.getOrMake('/a', () => first.promise);
    cache.clear();
    const after = cache.getOrMake('/a', () => made('new'));
    first.resolve(await made('old'));
    expect(textOf(await before)).toBe('old');
    expect(textOf(await after)).toBe('new');
    expect(textOf(cache.get('/a'))).toBe('new');
  });

  it('ends an entry when its time is over', async () => {
    let now = 0;
    const cache = new AnswerCache(100_000, () => now);
    await cache.getOrMake('/a', () => made('1', 1000));
    now = 999;
    expect(textOf(cache.get('/a'))).toBe('1');
    now = 1000;
    expect(cache.get('/a')).toBeUndefined();
    expect(cache.bytes).toBe(0);
  });

  it('keeps neither failures nor what may not be kept', async () => {
    const cache = new AnswerCache(100_000);
    await expect(cache.getOrMake('/a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(textOf(await cache.getOrMake('/a', () => made('1', 0)))).toBe('1');
    expect(cache.size).toBe(0);
  });

  it('drops the least recently used first', async () => {
    const cache = new AnswerCache(3 * (512 + 4 + 100));
    const text = 'x'.repeat(100);
    for (const key of ['/a', '/b', '/c']) await cache.getOrMake(key, () => made(text));
    cache.get('/a');
    await cache.getOrMake('/d', () => made(text));
    await cache.getOrMake('/d', () => made(text));
    expect(['/a', '/b', '/c', '/d'].filter((key) => cache.get(key) !== undefined)).toEqual(['/a', '/c', '/d']);
  });

  it('keeps what is asked for once only where there is room', async () => {
    const text = 'x'.repeat(1_000);
    const cache = new AnswerCache(5_000);
    for (const key of ['/a', '/b', '/c']) await cache.getOrMake(key, () => made(text));
    for (let page = 0; page < 100; page++) await cache.getOrMake(`/page/${page}`, () => made(text));
    expect(['/a', '/b', '/c'].map((key) => cache.get(key)?.body.length)).toEqual([1_000, 1_000, 1_000]);
    expect(cache.size).toBe(3);
    await cache.getOrMake('/by-id', () => made(text, 600_000));
    expect(['/b', '/c', '/by-id'].map((key) => cache.get(key)?.body.length)).toEqual([1_000, 1_000, 1_000]);
  });

  it('never takes more than its bytes, compressed forms included, and counts back to nothing', async () => {
    const steps = fc.array(
      fc.record({ key: fc.integer({ min: 0, max: 9 }), size: fc.integer({ min: 0, max: 900 }), grow: fc.boolean() }),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const cache = new AnswerCache(3000);
        for (const { key, size, grow } of taken) {
          const stored = await cache.getOrMake(`/${key}`, () => made('x'.repeat(size)));
          if (grow) cache.grow(`/${key}`, stored, size);
          expect(cache.bytes).toBeLessThanOrEqual(3000);
          expect(cache.bytes === 0).toBe(cache.size === 0);
        }
        cache.clear();
        expect(cache.bytes).toBe(0);
      }),
    );
  });
});
