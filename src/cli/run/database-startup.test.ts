import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { KagamiError } from '../../errors/kagami-error.ts';
import { awaitDatabase } from './database-startup.ts';

const logger = pino({ level: 'silent' });
const patience = { enabled: true, interval: 1, timeout: 1_000 };
const { signal } = new AbortController();

const failing = (times: number, error: Error) => {
  let attempts = 0;
  return async (): Promise<number> => {
    attempts++;
    if (attempts <= times) throw error;
    return attempts;
  };
};

const unavailable = new KagamiError('DATABASE_UNAVAILABLE', 'no answer');

describe('awaitDatabase', () => {
  it('tries until the database answers', async () => {
    expect(await awaitDatabase(failing(3, unavailable), patience, logger, signal)).toBe(4);
  });

  it('gives up when time is over, or when nobody wants to wait', async () => {
    const never = failing(Number.POSITIVE_INFINITY, unavailable);
    await expect(awaitDatabase(never, { ...patience, timeout: 20 }, logger, signal)).rejects.toBe(unavailable);
    const off = failing(1, unavailable);
    await expect(awaitDatabase(off, { ...patience, enabled: false }, logger, signal)).rejects.toBe(unavailable);
  });

  it('does not repeat what cannot get better', async () => {
    const denied = new KagamiError('DATABASE_ACCESS_DENIED', 'wrong password');
    await expect(awaitDatabase(failing(1, denied), patience, logger, signal)).rejects.toBe(denied);
  });

  it('ends when someone stops', async () => {
    const stopping = new AbortController();
    const waiting = awaitDatabase(
      failing(9, unavailable),
      { ...patience, interval: 10_000, timeout: 60_000 },
      logger,
      stopping.signal,
    );
    stopping.abort();
    await expect(waiting).rejects.toThrow('aborted');
  });
});
