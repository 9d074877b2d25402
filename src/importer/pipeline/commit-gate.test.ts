import { describe, expect, it } from 'vitest';
import { CommitGate } from './commit-gate.ts';

const never = new AbortController().signal;

describe('a commit gate', () => {
  it('opens for a block once that one, or a later one, is committed', async () => {
    const gate = new CommitGate(4n);
    expect([3n, 4n, 5n].map((number) => gate.isPast(number))).toEqual([true, true, false]);
    const opened: string[] = [];
    const waits = [5n, 6n, 9n].map((number) => gate.past(number, never).then(() => opened.push(`${number}`)));
    gate.settled(6n);
    await Promise.all(waits.slice(0, 2));
    expect(opened).toEqual(['5', '6']);
    gate.settled(9n);
    await Promise.all(waits);
    expect(opened).toEqual(['5', '6', '9']);
  });

  it('opens for all when nothing will be committed any more', async () => {
    const stop = new AbortController();
    const waiting = new CommitGate(undefined).past(0n, stop.signal);
    stop.abort();
    await waiting;
    await new CommitGate(undefined).past(0n, stop.signal);
  });
});
