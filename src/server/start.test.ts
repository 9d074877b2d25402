import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadSettings } from '../config/load.ts';
import type { Database } from '../database/connection.ts';
import { openDatabase } from '../database/connection.ts';
import { migrate } from '../database/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../database/testing/test-database.fixture.ts';
import type { ImportCondition } from './import-condition.ts';
import type { ServerLog } from './server-log.ts';
import { type RunningServer, type ServerOptions, startServer } from './start.ts';

const silent: ServerLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

let migrated: TestDatabase;
let empty: TestDatabase;

beforeAll(async () => {
  migrated = await createTestDatabase();
  empty = await createTestDatabase({ empty: true });
});

afterAll(async () => {
  await migrated.drop();
  await empty.drop();
});

const open: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource.stop();
});

/** For what does not look at the data. */
const noDatabase = new Promise<Database>(() => undefined);

const start = async (
  database: Database | Promise<Database>,
  rest: object = {},
  more: Partial<ServerOptions> = {},
): Promise<RunningServer> => {
  const { hiero, kagami } = loadSettings({
    cwd: '/',
    env: {},
    files: ['/test.yml'],
    readFile: (path) =>
      path === '/test.yml' ? JSON.stringify({ hiero: { mirror: { rest: { port: 0, ...rest } } } }) : undefined,
  }).settings;
  const server = await startServer({
    database,
    logger: silent,
    version: '9.8.7',
    settings: {
      rest: hiero.mirror.rest,
      restJava: hiero.mirror.restJava,
      common: hiero.mirror.common,
      server: { ...kagami.server, additionalPorts: [0] },
    },
    ...more,
  });
  open.push({ stop: () => server.stop(0) });
  return server;
};

const get = async (server: RunningServer, path: string, init: RequestInit = {}) => {
  const response = await fetch(`http://127.0.0.1:${server.ports[0]}${path}`, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
};

const probes = ['/health/liveness', '/health/readiness', '/actuator/health/startup', '/actuator/health/readiness'];

const statusesOf = async (server: RunningServer): Promise<number[]> =>
  Promise.all(probes.map(async (path) => (await get(server, path)).status));

describe('startServer', () => {
  it('serves before the schema is there, and is ready when there is an address book', async () => {
    const { database, connectionString } = empty;
    const server = await start(database);
    expect(await statusesOf(server)).toEqual([200, 503, 503, 503]);
    for (const path of ['/api/v1/network/stake', '/api/v1/blocks']) {
      const early = await get(server, path);
      expect([early.status, JSON.parse(early.text)]).toEqual([
        503,
        {
          _status: {
            messages: [
              {
                message: 'Service Unavailable',
                detail: 'The database has no schema yet. It is served as soon as the migrations have run.',
              },
            ],
          },
        },
      ]);
    }
    await migrate({ connectionString });
    expect(await statusesOf(server)).toEqual([200, 503, 200, 503]);
    expect((await get(server, '/api/v1/network/stake')).status).toBe(404);
    await database.query(
      "insert into address_book (start_consensus_timestamp, file_id, node_count, file_data) values (1, 102, 0, '')",
    );
    expect(await statusesOf(server)).toEqual([200, 200, 200, 200]);
    expect((await get(server, '/health/readiness')).text).toBe('{"status":"ok"}');
    expect((await get(server, '/actuator/health/readiness')).text).toBe('{"status":"UP"}');
  });

  it.each([
    ['opening', 503, 'DOWN'],
    ['listening', 200, 'UP'],
    ['closed', 503, 'DOWN'],
    ['unavailable', 200, 'DOWN'],
  ] as const)("tells in readiness that the simulated network's port is %s", async (state, status, word) => {
    const { database } = migrated;
    await database.query(
      `insert into address_book (start_consensus_timestamp, file_id, node_count, file_data)
        values (1, 102, 0, '') on conflict do nothing`,
    );
    const server = await start(database, {}, { nodeCondition: () => ({ state, port: 50_211 }) });
    const answer = await get(server, '/actuator/health/readiness');
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      status,
      {
        status: status === 200 ? 'UP' : 'DOWN',
        components: { database: { status: 'UP' }, node: { status: word, details: { state, port: 50_211 } } },
      },
    ]);
  });

  it('tells in readiness and metrics why no block comes, and lives on', async () => {
    const since = '2026-01-02T03:04:05Z';
    let condition: ImportCondition = { own: true, standstill: undefined };
    const { database } = migrated;
    await database.query(
      `insert into address_book (start_consensus_timestamp, file_id, node_count, file_data)
        values (1, 102, 0, '') on conflict do nothing`,
    );
    const server = await start(database, {}, { importCondition: async () => condition });
    const readiness = async (path = '/health/readiness'): Promise<unknown[]> => {
      const { status, text } = await get(server, path);
      return [status, JSON.parse(text)];
    };
    const metric = async (): Promise<string | undefined> =>
      (await get(server, '/metrics')).text
        .split('\n')
        .find((line) => line.startsWith('hiero_mirror_importer_standstill'));
    const up = { database: { status: 'ok' }, importer: { status: 'ok' } };
    expect(await readiness()).toEqual([200, { status: 'ok', components: up }]);
    expect(await metric()).toBe(
      'hiero_mirror_importer_standstill_seconds{application="importer",state="importing",code=""} 0',
    );

    condition = { own: true, standstill: { state: 'waiting', code: 'STREAM_CHAIN_BROKEN', file: 'f', since } };
    const details = { state: 'waiting', code: 'STREAM_CHAIN_BROKEN', file: 'f', since };
    expect(await readiness()).toEqual([
      503,
      { status: 'error', components: { ...up, importer: { status: 'error', details } } },
    ]);
    expect(await readiness('/actuator/health')).toEqual([
      503,
      { status: 'DOWN', components: { database: { status: 'UP' }, importer: { status: 'DOWN', details } } },
    ]);
    expect(await statusesOf(server)).toEqual([200, 503, 200, 503]);
    expect(await metric()).toMatch(/state="waiting",code="STREAM_CHAIN_BROKEN"\} \d{6,}/);

    // Another process' import: this one can serve what there is.
    condition = { ...condition, own: false };
    expect(await readiness()).toMatchObject([200, { components: { importer: { status: 'error' } } }]);
    // A network may be quiet, and an import may be over.
    condition = { own: true, standstill: { state: 'waiting', code: 'SOURCE_SILENT', file: null, since } };
    expect(await readiness()).toMatchObject([200, { components: { importer: { status: 'unknown' } } }]);
    condition = { own: true, standstill: { state: 'ended', code: 'IMPORT_RANGE_ENDED', file: null, since } };
    expect(await readiness()).toMatchObject([200, { components: { importer: { status: 'ok' } } }]);
    expect(await metric()).toMatch(/state="ended",code="IMPORT_RANGE_ENDED"\} 0$/);
    await database.query('delete from address_book');
  });

  it('serves before the database is there', async () => {
    const { connectionString } = migrated;
    const { promise, resolve } = Promise.withResolvers<Database>();
    const server = await start(promise);
    const early = await get(server, '/api/v1/network/stake');
    expect([early.status, JSON.parse(early.text)._status.messages[0].detail]).toEqual([
      503,
      'The database is being started.',
    ]);
    const database = openDatabase({ connectionString });
    open.push({ stop: () => database.close() });
    resolve(database);
    await promise;
    expect((await get(server, '/api/v1/network/stake')).status).toBe(404);
  });

  it('answers 503 when a statement takes too long', async () => {
    const { connectionString, database } = migrated;
    const hasty = openDatabase({ connectionString, statementTimeoutMs: 100 });
    open.push({ stop: () => hasty.close() });
    const server = await start(hasty);
    await database.transaction(async (client) => {
      await client.query('lock table network_stake');
      const answer = await get(server, '/api/v1/network/stake');
      expect([answer.status, answer.text]).toEqual([
        503,
        '{"_status":{"messages":[{"message":"Service Unavailable"}]}}',
      ]);
    });
  });

  it('answers the same on every port, with new data after a commit', async () => {
    const { database } = migrated;
    const server = await start(database);
    expect(server.ports).toHaveLength(2);
    const bodies = () =>
      Promise.all(
        server.ports.map(async (port): Promise<{ readonly nodes: readonly object[] }> => {
          const response = await fetch(`http://127.0.0.1:${port}/api/v1/network/nodes`);
          return response.json() as Promise<{ readonly nodes: readonly object[] }>;
        }),
      );
    const nothing = { nodes: [], links: { next: null } };
    expect(await bodies()).toEqual([nothing, nothing]);
    await database.query(`
      insert into address_book (start_consensus_timestamp, file_id, node_count, file_data) values (1, 102, 0, '');
      insert into address_book_entry (consensus_timestamp, node_id, node_account_id) values (1, 0, 3)`);
    expect(await bodies()).toEqual([nothing, nothing]);
    server.onBlockCommitted();
    expect((await bodies()).map(({ nodes }) => nodes.length)).toEqual([1, 1]);
  });

  it('shows the documentation without any other host', async () => {
    const server = await start(noDatabase);
    const page = await get(server, '/api/v1/docs');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    const files = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path as string);
    expect(files).toEqual(['/api/v1/docs/swagger-ui.css', '/api/v1/docs/swagger-ui-bundle.js']);
    for (const path of files) {
      const file = await get(server, path);
      expect([path, file.status, file.text.length > 10_000]).toEqual([path, 200, true]);
    }
    const document = parse((await get(server, '/api/v1/docs/openapi.yml')).text);
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '9.8.7' } });
    expect(document.paths['/api/v1/network/nodes'].get.operationId).toBe('getNetworkNodes');
    expect((await get(server, '/api/v1/docs/none.js')).status).toBe(404);
  });

  it('shows metrics under every known path', async () => {
    const server = await start(noDatabase);
    await get(server, '/api/v1/network/nodes');
    server.importMetrics.record({ kind: 'gauge', name: 'reconciliation', value: 1 });
    for (const path of ['/metrics', '/actuator/prometheus', '/swagger/metrics/', '/swagger/metrics']) {
      const { status, headers, text } = await get(server, path);
      expect([path, status, headers.get('content-type')?.split(';')[0]]).toEqual([path, 200, 'text/plain']);
      expect(text).toMatch(/^http_server_requests_seconds_count\{.*uri="\/api\/v1\/network\/nodes".*\} 1$/m);
      expect(text).toContain('hiero_mirror_importer_reconciliation{application="importer"} 1');
      expect(text).toContain('nodejs_heap_size_used_bytes');
    }
  });

  it('guards the metrics page below its own path when asked to', async () => {
    const server = await start(noDatabase, {
      metrics: { config: { authentication: true, username: 'prometheus', password: 'p' } },
    });
    expect((await get(server, '/swagger/metrics')).status).toBe(401);
    const authorization = `Basic ${Buffer.from('prometheus:p').toString('base64')}`;
    expect((await get(server, '/swagger/metrics', { headers: { authorization } })).status).toBe(200);
  });
});
