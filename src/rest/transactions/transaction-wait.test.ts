import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Application } from '../../api/http/application.ts';
import { applicationOver } from '../../api/http/testing/application.fixture.ts';
import { type Database, openDatabase } from '../../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { transactionRoutes } from './transactions.ts';

let test: TestDatabase;
/** Stands for an importer in another process. */
let importer: Database;
let application: Application;
let port: number;
let statements = 0;

beforeAll(async () => {
  test = await createTestDatabase();
  importer = openDatabase({ connectionString: test.connectionString, max: 1 });
});

afterAll(async () => {
  await importer.close();
  await test.drop();
});

const start = async (rest: object = {}) => {
  statements = 0;
  const { database } = test;
  const db: Database = {
    ...database,
    query: async (text, values, name) => {
      const rows = await database.query<never>(text, values, name);
      statements++;
      return rows;
    },
    cells: async (asked) => {
      const tables = await database.cells(asked);
      statements++;
      return tables;
    },
  };
  application = applicationOver({ routes: transactionRoutes, db, rest });
  await application.fastify.listen({ host: '127.0.0.1', port: 0 });
  port = (application.fastify.server.address() as AddressInfo).port;
};

const second = 1_000_000_000n;
let next = 1_600_000_000n;

interface Transaction {
  readonly id: string;
  readonly hash: string;
  readonly validStart: bigint;
}

const newTransaction = (): Transaction => {
  next += 100n;
  return {
    id: `0.0.10-${next}-000000000`,
    hash: next.toString(16).padStart(96, '0'),
    validStart: next * second,
  };
};

/** Commits a block with the transaction and announces it, as the importer does. */
const commit = (
  { validStart, hash }: Transaction,
  change: { readonly nonce?: number; readonly scheduled?: boolean } = {},
) =>
  importer.transaction(async (client) => {
    const { nonce = 0, scheduled = false } = change;
    const at = validStart + 5n + BigInt(nonce) + (scheduled ? 50n : 0n);
    await insertRows(client, 'transaction', [
      {
        consensus_timestamp: at,
        valid_start_ns: validStart,
        payer_account_id: 10n,
        type: 14,
        result: 22,
        nonce,
        scheduled,
        transaction_hash: `\\x${hash}`,
      },
    ]);
    if (nonce === 0) {
      const [prefix, suffix] = [hash.slice(0, 64), hash.slice(64)];
      await insertRows(client, 'transaction_hash', [
        { consensus_timestamp: at, hash: `\\x${prefix}`, hash_suffix: `\\x${suffix}`, payer_account_id: 10n },
      ]);
    }
    await client.query(`select pg_notify('kagami_block', '1')`);
  });

const get = async (path: string) => {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/transactions/${path}`);
  const body = (await response.json()) as { readonly transactions?: readonly { readonly nonce: number }[] };
  return { status: response.status, headers: response.headers, body };
};

/** Until a request has looked in vain and waits. */
const waiting = (looks: number) => vi.waitUntil(() => statements >= looks, { timeout: 10_000, interval: 5 });

describe('wait', () => {
  let unlisten: () => Promise<void>;
  beforeEach(async () => {
    await start();
    unlisten = await test.database.listen('kagami_block', () => application.onBlockCommitted());
    return async () => {
      await unlisten();
      await application.fastify.close();
    };
  });

  it('answers with the transaction when the block of another process is announced', async () => {
    const transaction = newTransaction();
    const answer = get(`${transaction.id}?wait=60`);
    await waiting(1);
    await commit(newTransaction());
    await waiting(2);
    await commit(transaction);
    const { status, headers, body } = await answer;
    expect(status).toBe(200);
    expect(body.transactions).toHaveLength(1);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(statements).toBeLessThanOrEqual(3);
  });

  it('answers at once with what is there', async () => {
    const transaction = newTransaction();
    await commit(transaction);
    expect((await get(`${transaction.id}?wait=60`)).status).toBe(200);
    expect(statements).toBe(1);
  });

  it('waits for what nonce and scheduled name', async () => {
    const transaction = newTransaction();
    await commit(transaction);
    const child = get(`${transaction.id}?nonce=1&wait=60`);
    await waiting(1);
    await commit(transaction, { nonce: 1 });
    expect((await child).body.transactions?.map(({ nonce }) => nonce)).toEqual([1]);
    const scheduled = get(`${transaction.id}?WAIT=60&scheduled=true`);
    await waiting(3);
    await commit(transaction, { scheduled: true });
    expect((await scheduled).body.transactions).toHaveLength(1);
  });

  it('waits for a hash', async () => {
    const transaction = newTransaction();
    const answer = get(`0x${transaction.hash}?wait=60`);
    await waiting(1);
    await commit(transaction);
    expect((await answer).status).toBe(200);
  });

  it('says that there is nothing when the time is over, and that this may not be kept', async () => {
    const { status, headers, body } = await get(`${newTransaction().id}?wait=1`);
    expect(status).toBe(404);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({ _status: { messages: [{ message: 'Not found' }] } });
  });

  it('finds at the end of its time what nobody announced', async () => {
    const transaction = newTransaction();
    const answer = get(`${transaction.id}?wait=2`);
    await waiting(1);
    await unlisten();
    await commit(transaction);
    expect((await answer).status).toBe(200);
  });

  it('serves two who wait for the same, each for itself', async () => {
    const transaction = newTransaction();
    const url = `${transaction.id}?wait=60`;
    const answers = [get(url), get(url)];
    await waiting(2);
    await commit(transaction);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('a place to wait in', () => {
  it('is refused with 503 when all are taken, but not to who need not wait', async () => {
    await start({ wait: { maxWaiters: 1 } });
    const present = newTransaction();
    await commit(present);
    const first = get(`${newTransaction().id}?wait=60`);
    await waiting(1);
    const refused = await get(`${newTransaction().id}?wait=60`);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.body).toEqual({ _status: { messages: [{ message: 'Too many requests are waiting' }] } });
    expect((await get(`${present.id}?wait=60`)).status).toBe(200);
    application.endWaits();
    expect((await first).status).toBe(404);
    await application.fastify.close();
  });

  it('is free again when the client goes away', async () => {
    await start({ wait: { maxWaiters: 1 } });
    const away = request({ port, path: `/api/v1/transactions/${newTransaction().id}?wait=60` });
    away.on('error', () => undefined);
    away.end();
    await waiting(1);
    away.destroy();
    const isFree = async () => (await get(`${newTransaction().id}?wait=1`)).status === 404;
    await vi.waitUntil(isFree, { timeout: 20_000, interval: 20 });
    await application.fastify.close();
  });

  it('is left at once when the server stops', async () => {
    await start();
    const answer = get(`${newTransaction().id}?wait=60`);
    await waiting(1);
    application.endWaits();
    expect((await answer).status).toBe(404);
    expect((await get(`${newTransaction().id}?wait=60`)).status).toBe(404);
    await application.fastify.close();
  });
});

describe('faulty waits', () => {
  it('are refused by name', async () => {
    const ask = restRequests(transactionRoutes, test.database, { rest: { wait: { maxSeconds: 30 } } });
    for (const value of ['0', '31', '-1', '1.5', 'x', '', 'gt:5', '9999999999']) {
      const { status, messages } = await ask(`/api/v1/transactions/0.0.10-1-1?wait=${value}`);
      expect([value, status, messages]).toEqual([value, 400, ['Invalid parameter: wait']]);
    }
    expect((await ask('/api/v1/transactions?wait=5')).messages).toEqual(['Unknown query parameter: wait']);
  });
});
