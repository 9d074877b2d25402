import { describe, expect, it } from 'vitest';
import type { Database } from '../database/connection.ts';
import { KagamiError } from '../errors/kagami-error.ts';
import { pendingDatabase } from './pending-database.ts';

const opened = (): Database => {
  let closed = false;
  return {
    query: async <R>() => [{ closed }] as R[],
    transaction: () => Promise.reject(new Error('unused')),
    cells: () => Promise.reject(new Error('unused')),
    copyOut: () => Promise.reject(new Error('unused')),
    withClient: () => Promise.reject(new Error('unused')),
    listen: async () => async () => undefined,
    close: async () => {
      closed = true;
    },
  };
};

describe('pendingDatabase', () => {
  it('fails at once until the database is there, then works', async () => {
    const { promise, resolve } = Promise.withResolvers<Database>();
    const database = pendingDatabase(promise);
    await expect(database.query('select 1')).rejects.toMatchObject({ code: 'DATABASE_STARTING', retryable: true });
    const real = opened();
    resolve(real);
    await promise;
    expect(await database.query('select 1')).toEqual([{ closed: false }]);
    await database.close();
    expect(await real.query('select 1')).toEqual([{ closed: true }]);
  });

  it('has the shared connections of the database as soon as that is there', async () => {
    const { promise, resolve } = Promise.withResolvers<Database>();
    const database = pendingDatabase(promise);
    expect(database.shared).toBeUndefined();
    const reader = { query: () => Promise.resolve([]), cells: () => Promise.resolve([]) };
    const shared = { ...reader, round: () => reader };
    resolve({ ...opened(), shared });
    await promise;
    expect(database.shared).toBe(shared);
  });

  it('says why it could not be opened', async () => {
    const fault = new KagamiError('DATABASE_MISSING', 'no such database');
    const missing = pendingDatabase(Promise.reject(fault));
    await Promise.resolve();
    await expect(missing.query('select 1')).rejects.toBe(fault);
    const broken = pendingDatabase(Promise.reject(new Error('no')));
    await Promise.resolve();
    await expect(broken.query('select 1')).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    await broken.close();
  });
});
