import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CommitWaits, type WaitingPlace, type WaitOutcome } from './commit-waits.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const enter = (waits: CommitWaits, client?: AbortSignal): WaitingPlace => {
  const place = waits.enter(1000, client);
  if (place === undefined) throw new Error('no place');
  return place;
};

/** The outcome once it is there. */
const outcomeOf = (wait: Promise<WaitOutcome>) => {
  const seen: { outcome?: WaitOutcome } = {};
  void wait.then((outcome) => {
    seen.outcome = outcome;
  });
  return seen;
};

const settle = () => vi.advanceTimersByTimeAsync(0);

describe('CommitWaits', () => {
  it('wakes with the next commit, and again with the one after it', async () => {
    const waits = new CommitWaits(1);
    const place = enter(waits);
    const first = outcomeOf(place.nextCommit());
    await settle();
    expect(first).toEqual({});
    waits.committed();
    await settle();
    expect(first).toEqual({ outcome: 'committed' });
    const second = outcomeOf(place.nextCommit());
    await settle();
    expect(second).toEqual({});
    waits.committed();
    await settle();
    expect(second).toEqual({ outcome: 'committed' });
    place.leave();
  });

  it('does not miss a commit between the look at the database and the wait', async () => {
    const waits = new CommitWaits(1);
    const place = enter(waits);
    waits.committed();
    expect(await place.nextCommit()).toBe('committed');
    const next = outcomeOf(place.nextCommit());
    await settle();
    expect(next).toEqual({});
    place.leave();
  });

  it('ends when the time is over, also when that happened during a look', async () => {
    const waits = new CommitWaits(2);
    const [waiting, looking] = [enter(waits), enter(waits)];
    const wait = outcomeOf(waiting.nextCommit());
    await vi.advanceTimersByTimeAsync(999);
    expect(wait).toEqual({});
    await vi.advanceTimersByTimeAsync(1);
    expect(wait).toEqual({ outcome: 'over' });
    expect(await looking.nextCommit()).toBe('over');
  });

  it('has as many places as it was given, and a place that is left is free', () => {
    const waits = new CommitWaits(2);
    const first = enter(waits);
    enter(waits);
    expect(waits.enter(1000)).toBeUndefined();
    expect(waits.taken).toBe(2);
    first.leave();
    expect(waits.taken).toBe(1);
    expect(waits.enter(1000)).toBeDefined();
    expect(new CommitWaits(0).enter(1000)).toBeUndefined();
  });

  it('ends when the client goes away, or was away before', async () => {
    const waits = new CommitWaits(2);
    const client = new AbortController();
    const wait = outcomeOf(enter(waits, client.signal).nextCommit());
    client.abort();
    await settle();
    expect(wait).toEqual({ outcome: 'ended' });
    expect(await enter(waits, client.signal).nextCommit()).toBe('ended');
  });

  it('ends all waits when it stops, and those to come', async () => {
    const waits = new CommitWaits(3);
    const wait = outcomeOf(enter(waits).nextCommit());
    const looking = enter(waits);
    waits.stop();
    await settle();
    expect(wait).toEqual({ outcome: 'ended' });
    expect(await looking.nextCommit()).toBe('ended');
    expect(await enter(waits).nextCommit()).toBe('ended');
  });

  it('lets four look at a time, the others after them, each once for a commit', async () => {
    const waits = new CommitWaits(10);
    const looks: number[] = [];
    const places = Array.from({ length: 10 }, () => enter(waits));
    const look = async (index: number): Promise<void> => {
      for (;;) {
        if ((await (places[index] as WaitingPlace).nextCommit()) !== 'committed') return;
        looks.push(index);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    const all = places.map((_, index) => look(index));
    waits.committed();
    await settle();
    expect(looks).toEqual([0, 1, 2, 3]);
    await vi.advanceTimersByTimeAsync(10);
    expect(looks).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    await vi.advanceTimersByTimeAsync(100);
    expect(looks).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    waits.stop();
    await Promise.all(all);
  });

  it('gives the turn of one that leaves to the next', async () => {
    const waits = new CommitWaits(10);
    const places = Array.from({ length: 5 }, () => enter(waits));
    const outcomes = places.map((place) => outcomeOf(place.nextCommit()));
    waits.committed();
    await settle();
    expect(outcomes[4]).toEqual({});
    places[0]?.leave();
    await settle();
    expect(outcomes[4]).toEqual({ outcome: 'committed' });
  });
});
