import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue } from './fair-queue.ts';

const queueOf = (...work: readonly (readonly [client: string, item: string])[]): FairQueue<string> => {
  const queue = new FairQueue<string>();
  for (const [client, item] of work) queue.add(client, item);
  return queue;
};

/** Takes everything out; each piece costs its client `cost`. */
const drained = (queue: FairQueue<string>, cost: (item: string) => number = () => 1): string[] => {
  const items: string[] = [];
  for (let turn = queue.next(); turn !== undefined; turn = queue.next()) {
    items.push(turn.item);
    queue.charge(turn.client, cost(turn.item));
  }
  return items;
};

describe('turns', () => {
  it('go round among clients', () => {
    const queue = queueOf(['a', 'a1'], ['a', 'a2'], ['a', 'a3'], ['b', 'b1'], ['c', 'c1'], ['b', 'b2']);
    expect(drained(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(queue.size).toBe(0);
  });

  it('follow what work has cost', () => {
    const queue = queueOf(['a', 'a1'], ['a', 'a2'], ['b', 'b1'], ['b', 'b2'], ['b', 'b3'], ['b', 'b4']);
    expect(drained(queue, (item) => (item.startsWith('a') ? 3 : 1))).toEqual(['a1', 'b1', 'b2', 'b3', 'a2', 'b4']);
  });

  it('come first for who asks for the first time, however many wait', () => {
    const queue = queueOf(...['a1', 'a2', 'a3', 'a4'].map((item) => ['a', item] as const));
    for (let taken = 0; taken < 2; taken++) queue.charge(queue.next()?.client ?? '', 50);
    queue.add('b', 'b1');
    expect(queue.next()?.item).toBe('b1');
  });

  it('are not saved up by who was away', () => {
    const queue = queueOf(['b', 'b0'], ...['a1', 'a2', 'a3', 'a4', 'a5'].map((item) => ['a', item] as const));
    expect(queue.next()?.item).toBe('b0');
    queue.charge('b', 1);
    for (let taken = 0; taken < 4; taken++) queue.charge(queue.next()?.client ?? '', 10);
    for (const item of ['b1', 'b2', 'b3']) queue.add('b', item);
    expect(drained(queue, () => 10)).toEqual(['b1', 'a5', 'b2', 'b3']);
  });

  it('pass over clients that may not have one', () => {
    const queue = queueOf(['a', 'a1'], ['b', 'b1']);
    expect(queue.next((client) => client !== 'a')).toEqual({ client: 'b', item: 'b1' });
    expect(queue.next((client) => client !== 'a')).toBeUndefined();
    expect(queue.sizeOf('a')).toBe(1);
  });

  it('are never more than one piece of work apart for two who always have work', () => {
    const costs = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 20, maxLength: 100 });
    fc.assert(
      fc.property(costs, costs, (ofA, ofB) => {
        const queue = new FairQueue<number>();
        for (const cost of ofA) queue.add('a', cost);
        for (const cost of ofB) queue.add('b', cost);
        const had = { a: 0, b: 0 };
        while (queue.sizeOf('a') > 0 && queue.sizeOf('b') > 0) {
          const turn = queue.next();
          if (turn === undefined) throw new Error('nothing waits');
          queue.charge(turn.client, turn.item);
          had[turn.client as 'a' | 'b'] += turn.item;
          expect(Math.abs(had.a - had.b)).toBeLessThanOrEqual(100);
        }
      }),
    );
  });
});

it('gives up the newest work of who has most waiting', () => {
  const queue = new FairQueue<string>();
  queue.add('a', 'a1', 10);
  queue.add('b', 'b1', 4);
  queue.add('b', 'b2', 5);
  expect(queue.weight).toBe(19);
  expect(queue.takeFromHeaviest()).toEqual({ client: 'a', item: 'a1' });
  expect(queue.takeFromHeaviest()).toEqual({ client: 'b', item: 'b2' });
  expect([...queue]).toEqual(['b1']);
  expect(queue.weight).toBe(4);
});

it('gives out what is asked for', () => {
  const queue = queueOf(['a', '1'], ['a', '2'], ['b', '3'], ['b', '4']);
  expect(queue.takeWhere((item) => Number(item) % 2 === 0).toSorted()).toEqual(['2', '4']);
  expect([...queue]).toEqual(['1', '3']);
});

it('forgets clients in the end', () => {
  const queue = new FairQueue<string>();
  queue.charge('first', 1_000);
  for (let client = 0; client < 10_000; client++) queue.charge(String(client), 1);
  queue.add('first', 'forgotten');
  queue.add('1', 'remembered');
  expect(queue.next()?.item).toBe('forgotten');
});
