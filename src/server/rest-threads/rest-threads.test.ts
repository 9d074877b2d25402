import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HttpProblem } from '../../api/problem.ts';
import { loadSettings } from '../../config/load.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import { type RunningServer, startServer } from '../start.ts';
import { errorOf, faultOf } from './rest-fault.ts';
import { RestThreads } from './rest-threads.ts';

let test: TestDatabase;
const open: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  test = await createTestDatabase();
  await test.database.query(
    `insert into record_file (name, load_start, load_end, hash, prev_hash, file_hash, consensus_start, consensus_end, count,
       digest_algorithm, hapi_version_major, hapi_version_minor, hapi_version_patch, version, index)
     select n || '.rcd', 0, 0, lpad(n::text, 96, '0'), lpad((n - 1)::text, 96, '0'), 'f', n * 10, n * 10 + 5, 1, 0, 0, 1, 0, 6, n
     from generate_series(1, 50) n`,
  );
});

afterAll(() => test.drop());

afterEach(async () => {
  for (const one of open.splice(0)) await one.stop();
});

const { hiero, kagami } = loadSettings({ cwd: '/', env: {}, files: [], readFile: () => undefined }).settings;
const errors: unknown[] = [];
const quiet = () => undefined;
const logger = {
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: (details: object, message: string) => errors.push([message, details]),
};

const { rest, restJava, common } = hiero.mirror;
const settings = {
  rest: { ...rest, port: 0, cache: { ...rest.cache, response: { ...rest.cache.response, enabled: false } } },
  restJava,
  common,
  server: { ...kagami.server, additionalPorts: [] },
};

const start = async (count: number): Promise<{ readonly server: RunningServer; readonly base: string }> => {
  const database = Promise.resolve({
    connectionString: test.connectionString,
    max: 4,
    shared: 1,
    readOnly: true,
    applicationName: 'rest thread',
  });
  const server = await startServer({ database: test.database, settings, logger, restThreads: { count, database } });
  open.push({ stop: () => server.stop(0) });
  return { server, base: `http://127.0.0.1:${server.ports[0]}` };
};

const threadsOf = async (server: RunningServer): Promise<number> =>
  Number(/^kagami_rest_threads (\d+)$/m.exec(await server.registry.metrics())?.[1]);

const untilThreads = async (server: RunningServer, count: number): Promise<void> => {
  for (let i = 0; i < 1_500 && (await threadsOf(server)) !== count; i++) await pause(20);
  expect(await threadsOf(server)).toBe(count);
};

describe('threads that answer REST requests', { timeout: 60_000 }, () => {
  it('give the answers of the one with the listeners, in the same form', async () => {
    const [alone, several] = [await start(0), await start(2)];
    await untilThreads(several.server, 3);
    const paths = [
      '/api/v1/blocks/7',
      '/api/v1/blocks?limit=3&order=asc',
      '/api/v1/blocks/99',
      '/api/v1/blocks?limit=x&nothing=1',
      '/api/v1/accounts/0.0.5',
      '/api/v1/transactions?limit=2',
      '/api/v1/topics/0.0.7',
      '/api/v1/network/supply',
      '/API/v1/Blocks/7/',
    ];
    const seen = async (base: string, path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`${base}${path}`, { headers });
      const { date, ...others } = Object.fromEntries(response.headers);
      return { status: response.status, headers: others, body: await response.text() };
    };
    for (const path of paths) {
      const expected = await seen(alone.base, path);
      // Many at once, so that they do not all run in the thread of the listeners.
      const answers = await Promise.all(Array.from({ length: 20 }, () => seen(several.base, path)));
      for (const answer of answers) expect(answer).toEqual(expected);
      const text = { accept: 'application/json;int64=string' };
      const texts = await Promise.all(Array.from({ length: 6 }, () => seen(several.base, path, text)));
      const expectedText = await seen(alone.base, path, text);
      for (const answer of texts) expect(answer).toEqual(expectedText);
    }
    const all = /^api_all_request_total (\d+)$/m.exec(await several.server.registry.metrics())?.[1];
    expect(Number(all)).toBe(paths.length * 26);
  });

  const openWith = async (workerFile: URL) => {
    const { Registry } = await import('prom-client');
    const registry = new Registry();
    const route = { flavour: 'js' } as never;
    const threads = new RestThreads({
      count: 1,
      data: Promise.resolve({} as never),
      routes: [route],
      registry,
      log: logger,
      workerFile,
      lookMs: 50,
    });
    open.push(threads);
    errors.length = 0;
    const arrival = {
      path: '/',
      query: [],
      linkPrefix: '',
      pathParameters: {},
      headers: {},
      client: () => '',
    } as never;
    const figure = async (name: string) =>
      Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await registry.metrics())?.[1]);
    const until = async (name: string, value: number) => {
      for (let i = 0; i < 1_500 && (await figure(name)) !== value; i++) await pause(20);
      expect(await figure(name)).toBe(value);
    };
    await until('kagami_rest_threads', 2);
    const held = Promise.withResolvers<never>();
    const here = threads.run(route, arrival, false, () => held.promise);
    const elsewhere = threads.run(route, arrival, false, () => Promise.reject(new Error('ran here')));
    return { until, held, here, elsewhere };
  };

  it.each([
    ['lost', new URL('./lost-worker.fixture.ts', import.meta.url), 'out of order'],
    [
      'stuck in a computation',
      new URL('./stuck-worker.fixture.ts', import.meta.url),
      'The thread did not react any more',
    ],
  ])('are replaced when they are %s, which ends the requests that they had with 503', async (_how, file, message) => {
    const { until, held, here, elsewhere } = await openWith(file);
    await expect(elsewhere).rejects.toMatchObject({ status: 503 });
    await until('kagami_rest_threads_lost_total', 1);
    expect(errors).toEqual([
      [expect.stringContaining('another takes its place'), { err: expect.objectContaining({ message }) }],
    ]);
    await until('kagami_rest_threads', 2);
    held.reject(new Error('over'));
    await expect(here).rejects.toThrow('over');
  });

  it('stop with the server', async () => {
    const { server, base } = await start(1);
    await untilThreads(server, 2);
    const onlooker = new pg.Client({ connectionString: test.connectionString });
    const lock = new pg.Client({ connectionString: test.connectionString });
    for (const client of [onlooker, lock]) await client.connect();
    const sessions = async () =>
      (await onlooker.query(`select pid from pg_stat_activity where application_name = 'rest thread'`)).rows;
    // While the table is locked, no request ends before the next one comes, so that the other thread gets some.
    await lock.query('begin; lock table record_file in access exclusive mode');
    const answers = Array.from({ length: 20 }, (_, i) => fetch(`${base}/api/v1/blocks/${i + 1}`));
    for (let i = 0; i < 250 && (await sessions()).length === 0; i++) await pause(20);
    expect((await sessions()).length).toBeGreaterThan(0);
    await lock.end();
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(200);
    await server.stop();
    expect(await threadsOf(server)).toBe(1);
    // A backend ends a moment after its client has gone.
    for (let i = 0; i < 250 && (await sessions()).length > 0; i++) await pause(20);
    expect(await sessions()).toEqual([]);
    await onlooker.end();
  });
});

describe('an error on its way between threads', () => {
  it('stays what it was', () => {
    const problem = errorOf(faultOf(new HttpProblem(400, [{ message: 'a', detail: 'b' }], { headers: { x: 'y' } })));
    expect(problem).toBeInstanceOf(HttpProblem);
    expect(problem).toMatchObject({ status: 400, messages: [{ message: 'a', detail: 'b' }], headers: { x: 'y' } });
    const outage = errorOf(faultOf(new KagamiError('DATABASE_TIMEOUT', 'too long')));
    expect(outage).toMatchObject({ code: 'DATABASE_TIMEOUT', retryable: true, message: 'too long' });
    const fault = new TypeError('x is not a function');
    expect(errorOf(faultOf(fault))).toMatchObject({ message: fault.message, stack: fault.stack });
    expect(errorOf(faultOf('text'))).toMatchObject({ message: 'text' });
  });
});
