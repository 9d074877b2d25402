import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../connection.ts';
import { embeddedAddresses, prepareDatabase } from '../prepare.ts';
import { nativeFolder } from './binaries.ts';
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from './launcher.ts';
import { isPostmasterOf, readPostmaster } from './postmaster-file.ts';

const isRoot = process.getuid?.() === 0;

const rows = async (server: EmbeddedPostgres, text: string): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: server.connectionString('postgres') });
  await client.connect();
  try {
    return (await client.query(text)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
};

describe('the embedded PostgreSQL', { timeout: 60_000 }, () => {
  let folder: string;
  let dataDir: string;
  let cluster: string;
  let started: EmbeddedPostgres[];
  beforeEach(() => {
    // 0700, as under /root: the account of the server cannot walk there by itself.
    folder = mkdtempSync(join(tmpdir(), 'kagami-launcher-'));
    dataDir = join(folder, 'data');
    cluster = join(dataDir, 'cluster');
    started = [];
  });
  afterEach(async () => {
    for (const server of started) await server.stop().catch(() => undefined);
    const left = readPostmaster(cluster);
    if (left !== undefined && isPostmasterOf(left.pid, cluster)) process.kill(left.pid, 'SIGQUIT');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });

  const start = async (options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> => {
    const server = await startEmbeddedPostgres({ dataDir, sync: false, ...options });
    started.push(server);
    return server;
  };

  it('keeps its data over a stop and a start, and lets one process use them at a time', async () => {
    const first = await start();
    expect(first).toMatchObject({ created: true, adopted: false, host: '127.0.0.1' });
    await expect(start()).rejects.toMatchObject({ code: 'DATA_FOLDER_LOCKED', details: { pid: process.pid } });
    await rows(first, 'create table kept (id int); insert into kept values (42)');
    const [settings] = await rows(
      first,
      `select current_setting('listen_addresses') as addresses,
              current_setting('server_encoding') as encoding, current_setting('lc_collate', true) as collate,
              current_setting('synchronous_commit') as commit, current_setting('jit') as jit,
              (select datcollate from pg_database where datname = 'postgres') as locale`,
    );
    expect(settings).toMatchObject({
      addresses: '127.0.0.1',
      encoding: 'UTF8',
      commit: 'on',
      jit: 'off',
      locale: 'C',
    });
    const stat = statSync(cluster);
    expect(stat.mode & 0o777).toBe(0o700);
    if (isRoot) expect(stat.uid).not.toBe(0);
    await first.stop();
    await first.stop();
    expect(isPostmasterOf(first.pid, cluster)).toBe(false);
    expect(existsSync(join(dataDir, 'kagami.lock'))).toBe(false);

    const second = await start();
    expect(second).toMatchObject({ created: false, adopted: false });
    expect(await rows(second, 'select id from kept')).toEqual([{ id: 42 }]);
  });

  it('serves a prepared database to its owner and its reader', async () => {
    const server = await start();
    const addresses = await embeddedAddresses(server);
    expect(await embeddedAddresses(server)).toEqual(addresses);
    expect(await prepareDatabase(addresses)).toMatchObject({ before: 'empty', writable: true });
    const reader = openDatabase({ connectionString: addresses.reader });
    try {
      expect(
        await reader.query('select current_user::text as who, (select count(*)::int4 from record_file) as n'),
      ).toEqual([{ who: 'mirror_reader', n: 0 }]);
    } finally {
      await reader.close();
    }
  });

  it.runIf(process.platform === 'linux')('is reached by a Unix socket, whose remains it clears away', async () => {
    const sockets = () => readdirSync(cluster).filter((name) => name.startsWith('.s.PGSQL.'));
    const first = await start();
    const by = async (connectionString: string) => {
      const database = openDatabase({ connectionString });
      const [row] = await database.query('select host(inet_server_addr()) as address');
      await database.close();
      return row?.address;
    };
    const nearest = first.nearestConnectionString('postgres', first.credentials.owner);
    expect(nearest).toContain(`@${encodeURIComponent(cluster)}:${first.port}/postgres`);
    expect(await by(nearest)).toBeNull();
    expect(await by(first.connectionString('postgres'))).toBe('127.0.0.1');
    expect(sockets()).toEqual([`.s.PGSQL.${first.port}`, `.s.PGSQL.${first.port}.lock`]);
    process.kill(first.pid, 'SIGKILL');
    while (isPostmasterOf(first.pid, cluster)) await pause(20);
    expect(sockets()).toHaveLength(2);
    await first.stop();
    const second = await start();
    expect(sockets()).toEqual([`.s.PGSQL.${second.port}`, `.s.PGSQL.${second.port}.lock`]);
  });

  it('is reached by TCP where the path of a socket would be too long', async () => {
    const server = await start({ dataDir: join(folder, 'x'.repeat(100)) });
    expect(server.nearestConnectionString('postgres')).toBe(server.connectionString('postgres'));
    const addresses = await embeddedAddresses(server);
    expect(addresses.reader).toContain(`@127.0.0.1:${server.port}/`);
  });

  it.each(['connectionString', 'nearestConnectionString'] as const)('wants a password (%s)', async (by) => {
    const server = await start();
    const url = new URL(server[by]('postgres'));
    url.password = 'wrong';
    const client = new pg.Client({ connectionString: url.href });
    await expect(client.connect()).rejects.toMatchObject({ code: '28P01' });
    const hba = readFileSync(join(cluster, 'pg_hba.conf'), 'utf8');
    expect(hba.split('\n').filter((line) => /^(host|local)/.test(line) && !line.endsWith('scram-sha-256'))).toEqual([]);
  });

  it('is taken over when the process that started it was killed', async () => {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, '../testing/embedded-process.fixture.ts'), dataDir],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
    const { pid, port } = JSON.parse(line.toString()) as { pid: number; port: number };
    await expect(start()).rejects.toMatchObject({ code: 'DATA_FOLDER_LOCKED', details: { pid: child.pid } });
    child.kill('SIGKILL');
    await once(child, 'exit');
    const server = await start();
    expect(server).toMatchObject({ pid, port, adopted: true, created: false });
    expect(await rows(server, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();
    expect(isPostmasterOf(pid, cluster)).toBe(false);
  });

  it('recovers after the server itself was killed, also when another process got its id', async () => {
    const first = await start();
    await rows(first, 'create table kept (id int); insert into kept values (1)');
    process.kill(first.pid, 'SIGKILL');
    await first.stop();
    expect(readPostmaster(cluster)?.pid).toBe(first.pid);
    const second = await start();
    expect(second.adopted).toBe(false);
    expect(await rows(second, 'select id from kept')).toEqual([{ id: 1 }]);

    process.kill(second.pid, 'SIGKILL');
    await second.stop();
    const file = join(cluster, 'postmaster.pid');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(process.pid)));
    const third = await start();
    expect(third.adopted).toBe(false);
    expect(await rows(third, 'select id from kept')).toEqual([{ id: 1 }]);
  });

  it('ends a server that does not stop, whose data the next one recovers', async () => {
    const first = await start({ stopPatienceMs: 100 });
    await rows(first, 'create table kept (id int); insert into kept values (1)');
    process.kill(first.pid, 'SIGSTOP');
    await first.stop();
    expect(isPostmasterOf(first.pid, cluster)).toBe(false);
    const second = await start();
    expect(second.adopted).toBe(false);
    expect(await rows(second, 'select id from kept')).toEqual([{ id: 1 }]);
  });

  it('begins again after an interrupted first start', async () => {
    mkdirSync(join(dataDir, 'cluster.partial', 'base'), { recursive: true });
    writeFileSync(join(dataDir, 'cluster.partial', 'PG_VERSION'), '18\n');
    const server = await start();
    expect(server.created).toBe(true);
    expect(readdirSync(dataDir).sort()).toEqual(['cluster', 'credentials.json', 'kagami.lock', 'postgres.log']);
  });

  it('refuses data of another major version', async () => {
    const server = await start();
    await server.stop();
    writeFileSync(join(cluster, 'PG_VERSION'), '15\n');
    await expect(start()).rejects.toMatchObject({
      code: 'DATA_FOLDER_OTHER_VERSION',
      message: `The data in ${cluster} were written by PostgreSQL 15; this Kagami brings PostgreSQL 18`,
    });
    expect(existsSync(join(dataDir, 'kagami.lock'))).toBe(false);
  });

  it('says what the server said when it does not start', async () => {
    await expect(start({ settings: { shared_buffers: 'nonsense' } })).rejects.toMatchObject({
      code: 'EMBEDDED_POSTGRES_START_FAILED',
      message: expect.stringContaining('invalid value for parameter "shared_buffers": "nonsense"'),
      details: { logFile: join(dataDir, 'postgres.log'), output: expect.stringContaining('shared_buffers') },
    });
  });

  it.runIf(isRoot)('copies programs that the account may not read, and restores their links', async () => {
    const hidden = join(folder, 'package');
    const native = nativeFolder();
    cpSync(native, join(hidden, 'native'), {
      recursive: true,
      filter: (source) => !lstatSync(source).isSymbolicLink(),
    });
    cpSync(join(dirname(native), 'package.json'), join(hidden, 'package.json'));
    chmodSync(hidden, 0o700);
    // A place that every account can reach, unlike `folder`.
    const reachable = mkdtempSync(join(tmpdir(), 'kagami-copies-'));
    chmodSync(reachable, 0o755);
    try {
      const server = await start({ nativeFolder: join(hidden, 'native'), copyFolders: [reachable] });
      expect(await rows(server, 'select 1 as one')).toEqual([{ one: 1 }]);
      const [copy = ''] = readdirSync(reachable);
      expect(copy).toMatch(/^postgres-18\./);
      expect(existsSync(join(reachable, copy, 'lib/libpq.a'))).toBe(false);
      await server.stop();
    } finally {
      rmSync(reachable, { recursive: true, force: true });
    }
  });
});
