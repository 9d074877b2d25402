import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { emptySession } from './session-state.ts';
import { openSessionStore, type SessionStore } from './session-store.ts';

let test: TestDatabase;
let store: SessionStore;

beforeAll(async () => {
  test = await createTestDatabase();
  store = openSessionStore(test.database, { lifetimeSeconds: 3_600, maxSessionBytes: 16, maxTotalBytes: 24 });
});
afterAll(() => test.drop());
beforeEach(() => test.database.query('delete from kagami.verification_session'));

const file = (path: string, text: string) => ({ path, content: Buffer.from(text) });
const expireIn = (seconds: number) =>
  test.database.query(`update kagami.verification_session set expires_at = now() + interval '${seconds} seconds'`);
const secondsLeft = async (): Promise<number | undefined> => {
  const [row] = await test.database.query<{ seconds: string }>(
    'select floor(extract(epoch from expires_at - now()))::int8 as seconds from kagami.verification_session',
  );
  return row === undefined ? undefined : Number(row.seconds);
};

describe('stored sessions', () => {
  it('have one secret, whoever asks', async () => {
    const secrets = await Promise.all([store.secret(), store.secret()]);
    expect(secrets[0]).toMatch(/^[\w-]{43}$/);
    expect(new Set([...secrets, await store.secret()]).size).toBe(1);
  });

  it('hold each content once, in the order in which they came', async () => {
    expect(await store.addFiles('a', [file('1', 'x'), file('2', 'y'), file('3', 'x')])).toHaveLength(2);
    expect(await store.addFiles('a', [file('4', 'y')])).toEqual([]);
    expect((await store.read('a')).paths).toEqual(['1', '2']);
    expect(await store.files('a')).toEqual([file('1', 'x'), file('2', 'y')]);
  });

  it('take all files or none, up to their limits', async () => {
    await store.addFiles('a', [file('1', '123456789')]);
    await expect(store.addFiles('a', [file('2', '1'), file('3', '2')])).rejects.toMatchObject({
      code: 'VERIFICATION_SESSION_FULL',
    });
    expect((await store.read('a')).paths).toEqual(['1']);
    await store.addFiles('a', [file('4', '1')]);
    await expect(store.addFiles('b', [file('5', '1234567')])).rejects.toMatchObject({
      code: 'VERIFICATION_SESSIONS_FULL',
    });
    await store.remove('a');
    expect(await store.addFiles('b', [file('5', '1234567')])).toHaveLength(1);
  });

  it('give back the room of files that are taken back', async () => {
    const added = await store.addFiles('a', [file('1', '123456789012')]);
    await store.dropFiles('a', added);
    expect(await store.addFiles('a', [file('1', '123456789012')])).toHaveLength(1);
  });

  it('live on when they are used, and end otherwise', async () => {
    await store.addFiles('a', [file('1', 'x')]);
    await expireIn(100);
    await store.read('a');
    expect(await secondsLeft()).toBeGreaterThan(3_500);
    await expireIn(-1);
    expect(await store.read('a')).toEqual({ state: emptySession, paths: [] });
    expect(await store.files('a')).toEqual([]);
    await store.prune();
    expect(await secondsLeft()).toBeUndefined();
  });

  it('lose no change when two come at once', async () => {
    await store.addFiles('a', [file('1', 'x')]);
    const changes = ['one', 'two', 'three'].map((name) =>
      store.update('a', (state) => ({ ...state, unused: [...state.unused, name] })),
    );
    await Promise.all(changes);
    expect((await store.read('a')).state.unused.toSorted()).toEqual(['one', 'three', 'two']);
  });
});
