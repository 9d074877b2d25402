import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { loadSettings } from '../../config/load.ts';
import { acquireWriter } from '../../database/fencing.ts';
import { createTestDatabase } from '../../database/testing/test-database.fixture.ts';
import { type S3Proxy, startS3Proxy } from '../../sources/testing/s3-proxy.fixture.ts';
import { type S3TestServer, startS3Server } from '../../sources/testing/s3-server.fixture.ts';
import { runCommandLine } from '../command-line.ts';
import { createStyle } from '../terminal/terminal.ts';
import { checkClock } from './clock-check.ts';
import { checkConfiguration } from './configuration-check.ts';
import { checkDataPath } from './data-path-check.ts';
import { checkDatabase } from './database-check.ts';
import { checkEmbedded } from './embedded-check.ts';
import { type Finding, fail, formatFinding, formatVerdict, ok, warn } from './finding.ts';
import { checkPorts } from './ports-check.ts';
import { checkSource } from './source-check.ts';

const folder = mkdtempSync(join(tmpdir(), 'kagami-doctor-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const results = (findings: readonly Finding[]) => findings.map(({ subject, result }) => `${subject}: ${result}`);

describe('findings', () => {
  const style = createStyle(false);

  it('are a line each, with advice below', () => {
    expect(formatFinding(ok('clock', 'good'), style)).toBe('ok    clock: good\n');
    expect(formatFinding(fail('clock', 'bad', 'Set it.'), style)).toBe('fail  clock: bad\n      Set it.\n');
  });

  it('are summed up', () => {
    expect(formatVerdict([ok('a', ''), ok('b', '')], style)).toBe('All 2 checks are good.\n');
    expect(formatVerdict([ok('a', ''), warn('b', '', '')], style)).toBe('Nothing failed; 1 of 2 checks warn.\n');
    expect(formatVerdict([fail('a', '', ''), warn('b', '', '')], style)).toBe('1 of 2 checks failed, 1 warn.\n');
  });
});

describe('configuration', () => {
  it('names each fault with its place', () => {
    const problem = { setting: 'kagami.log.level', origin: 'a.yml:3', message: 'is wrong' };
    const found = checkConfiguration({
      problems: [problem],
      warnings: ['x is unknown'],
      files: [],
      origins: new Map(),
    });
    expect(found.map(({ result, message }) => `${result} ${message}`)).toEqual([
      'fail kagami.log.level (a.yml:3): is wrong',
      'warn x is unknown',
    ]);
  });

  it('names the files when all is good', () => {
    const [found] = checkConfiguration({
      problems: [],
      warnings: [],
      files: ['/a.yml'],
      origins: new Map([['x', 'y']]),
    });
    expect(found).toEqual(ok('configuration', '/a.yml; 1 settings differ from their defaults'));
  });
});

describe('the data folder', () => {
  it('may exist or be made', () => {
    expect(checkDataPath(folder).result).toBe('ok');
    expect(checkDataPath(join(folder, 'a', 'b')).message).toContain('(will be made)');
  });

  it('is no file', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const path of [file, join(file, 'below')]) {
      expect(checkDataPath(path)).toMatchObject({ result: 'fail', message: `${file} is no folder` });
    }
  });

  it('has no file where a folder of ours should be, and is no link to nothing', () => {
    const data = join(folder, 'data');
    mkdirSync(data);
    writeFileSync(join(data, 'network'), '');
    expect(checkDataPath(data)).toMatchObject({ result: 'fail', message: `${data}/network is no folder` });
    const link = join(folder, 'link');
    symlinkSync(join(folder, 'nowhere'), link);
    expect(checkDataPath(link)).toMatchObject({ result: 'fail', message: `${link} is a link to nothing` });
    expect(checkDataPath(join(link, 'below')).result).toBe('fail');
  });

  const mounts = process.platform === 'linux' && process.getuid?.() === 0;
  it.skipIf(!mounts)('is on a disk that can be written and has room', () => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    const on = (options: string): Finding => {
      expect(spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk]).status).toBe(0);
      try {
        return checkDataPath(join(disk, 'data'));
      } finally {
        spawnSync('umount', [disk]);
      }
    };
    expect(on('size=100m')).toMatchObject({ result: 'fail', message: expect.stringMatching(/ 100 MiB free$/) });
    expect(on('size=500m')).toMatchObject({ result: 'warn', message: expect.stringMatching(/ 500 MiB free$/) });
    expect(on('size=2g').result).toBe('ok');
    expect(on('ro')).toMatchObject({ result: 'fail', message: `${disk} cannot be written (the disk is read only)` });
  });

  it.skipIf(process.getuid?.() === 0)('can be written by this user', () => {
    const closed = join(folder, 'closed');
    mkdirSync(closed, { mode: 0o500 });
    expect(checkDataPath(closed)).toMatchObject({ result: 'fail', message: `${closed} cannot be written (EACCES)` });
    expect(checkDataPath(join(closed, 'below')).result).toBe('fail');
  });
});

describe('data of the embedded server', () => {
  it('has data of the version of its programs', () => {
    const data = join(folder, 'embedded');
    const cluster = join(data, 'cluster');
    mkdirSync(cluster, { recursive: true });
    writeFileSync(join(cluster, 'PG_VERSION'), '15\n');
    expect(checkEmbedded(data).finding).toMatchObject({
      result: 'fail',
      message: `${cluster} is of PostgreSQL 15, the programs are of 18`,
      advice: expect.stringContaining('Dump the data'),
    });
    writeFileSync(join(cluster, 'PG_VERSION'), '18\n');
    expect(checkEmbedded(data).finding).toMatchObject({
      result: 'fail',
      message: expect.stringContaining('credentials.json with the passwords is missing'),
    });
  });
});

describe('a database URL', () => {
  it.each([
    ['nonsense', 'it is no URL'],
    ['mysql://u@h/db', 'it begins with mysql:'],
    ['postgres:///db', 'it names no host'],
    ['postgres://u:100%@h/db', 'a % in it must be written as %25'],
  ])('that is none (%s) is a finding like others', async (url, message) => {
    let out = '';
    const code = await runCommandLine(['doctor', '--json', '--database', url], {
      cwd: folder,
      env: {},
      terminal: {
        out: (text) => {
          out += text;
        },
        err: () => undefined,
        interactive: false,
        columns: 80,
        style: createStyle(false),
      },
    });
    const findings = JSON.parse(out) as Finding[];
    expect(code).toBe(1);
    expect(findings.find(({ subject }) => subject === 'database')).toMatchObject({
      result: 'fail',
      message: expect.stringContaining(message),
    });
    expect(findings.map(({ subject }) => subject)).toEqual(expect.arrayContaining(['data folder', 'source', 'clock']));
  });
});

const none = new Map<never, never>();
const at = (port: number) => ({ host: '127.0.0.1', port });

describe('ports', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  const serve = async (answers: Readonly<Record<string, string>>): Promise<number> => {
    const server = createServer((request, response) => {
      const body = answers[request.url ?? ''];
      response.writeHead(body === undefined ? 404 : 200).end(body ?? '');
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };

  it('are free, ours, or taken', async () => {
    const free = await serve({});
    servers.pop()?.close();
    const ours = await serve({
      '/health/liveness': '{"status":"ok"}',
      '/api/v1/docs/openapi.yml': 'info:\n  title: Kagami REST API\n',
    });
    const other = await serve({ '/health/liveness': '{"status":"ok"}' });
    const host = '127.0.0.1';
    expect(results(await checkPorts({ host, primary: free, additional: [ours, other], own: none }))).toEqual([
      `port ${free}: ok`,
      `port ${ours}: ok`,
      `port ${other}: warn`,
    ]);
    expect(results(await checkPorts({ host, primary: other, additional: [], own: none }))).toEqual([
      `port ${other}: fail`,
    ]);
  });

  it('are free, of a gRPC server, or taken, for gRPC', async () => {
    const http2 = createHttp2Server();
    await new Promise<void>((resolve) => http2.listen(0, '127.0.0.1', resolve));
    const speaking = (http2.address() as AddressInfo).port;
    const other = await serve({});
    const check = async (grpc: number) =>
      results(
        await checkPorts({
          host: '127.0.0.1',
          primary: 0,
          additional: [],
          own: new Map([['grpc' as const, at(grpc)]]),
        }),
      ).at(-1);
    expect(await check(speaking)).toBe(`port ${speaking} (gRPC): ok`);
    http2.close();
    expect(await check(other)).toBe(`port ${other} (gRPC): warn`);
    expect(await check(0)).toBe('port 0 (gRPC): ok');
  });

  it('are free, of a Rosetta server, or taken, for Rosetta', async () => {
    const speaking = await serve({ '/network/list': '{"network_identifiers":[]}' });
    const other = await serve({});
    const check = async (rosetta: number) =>
      results(
        await checkPorts({
          host: '127.0.0.1',
          primary: 0,
          additional: [],
          own: new Map([['rosetta' as const, at(rosetta)]]),
        }),
      ).at(-1);
    expect(await check(speaking)).toBe(`port ${speaking} (Rosetta): ok`);
    expect(await check(other)).toBe(`port ${other} (Rosetta): warn`);
    expect(await check(0)).toBe('port 0 (Rosetta): ok');
  });

  it('are free, or taken, for transactions of the simulated network', async () => {
    const other = await serve({});
    const check = async (submit: number) =>
      results(
        await checkPorts({
          host: '127.0.0.1',
          primary: 0,
          additional: [],
          own: new Map([['node' as const, at(submit)]]),
        }),
      ).at(-1);
    expect(await check(other)).toBe(`port ${other} (transactions): warn`);
    expect(await check(0)).toBe('port 0 (transactions): ok');
  });

  it('cannot be opened on an address of another machine', async () => {
    const [found] = await checkPorts({
      host: '192.0.2.1',
      primary: 5551,
      additional: [],
      own: none,
    });
    expect(found).toMatchObject({ result: 'fail', message: 'cannot be opened on 192.0.2.1: EADDRNOTAVAIL' });
  });
});

describe('the source', () => {
  const check = (given: Readonly<Record<string, string>>): Promise<Finding[]> => {
    const overrides = Object.entries(given).map(([path, value]) => ({ path, value, origin: '--set' }));
    return checkSource(loadSettings({ cwd: folder, env: {}, overrides, readFile: () => undefined }), folder);
  };
  const sourceFolder = 'kagami.source.folder';

  it('is simulated, a folder, or nothing', async () => {
    expect(results(await check({}))).toEqual(['source: ok']);
    expect(results(await check({ 'kagami.simulator.enabled': 'false' }))).toEqual(['source: warn']);
    expect(results(await check({ [sourceFolder]: 'none' }))).toEqual(['source: fail', 'address book: warn']);
    expect(results(await check({ 'kagami.source.kind': 'folder' }))).toEqual(['source: fail']);
  });

  it('must have a known layout and an address book that can be read', async () => {
    mkdirSync(join(folder, 'empty'));
    expect(results(await check({ [sourceFolder]: 'empty' }))).toEqual(['source: fail', 'address book: warn']);
    mkdirSync(join(folder, 'streams', 'record0.0.3'), { recursive: true });
    writeFileSync(join(folder, 'book.bin'), 'no address book');
    const found = await check({
      [sourceFolder]: 'streams',
      'hiero.mirror.importer.initialAddressBook': 'book.bin',
    });
    expect(results(found)).toEqual(['source: ok', 'address book: fail']);
    expect(found[0]?.message).toContain('files of 1 nodes');
  });

  it('has the address book of a public network that is named', async () => {
    mkdirSync(join(folder, 'public', 'record0.0.3'), { recursive: true });
    const found = await check({ [sourceFolder]: 'public', 'hiero.mirror.importer.network': 'testnet' });
    expect(found[1]).toMatchObject({ result: 'ok', message: 'that of testnet: 7 nodes' });
  });

  describe('in a bucket', () => {
    const downloader = 'hiero.mirror.importer.downloader';
    const keys = { [`${downloader}.accessKey`]: 'S3RVER', [`${downloader}.secretKey`]: 'S3RVER' };
    let server: S3TestServer;
    let proxy: S3Proxy;
    beforeAll(async () => {
      server = await startS3Server(['streams', 'empty']);
      proxy = await startS3Proxy(server.port, 'S3RVER');
      const names = ['2024-01-01T00_00_02.5Z.rcd.gz', '2024-01-01T00_00_04.5Z.rcd_sig'];
      await server.put(names.map((name) => ({ key: `recordstreams/record0.0.5/${name}`, bytes: new Uint8Array(1) })));
    });
    afterAll(async () => {
      await proxy?.stop();
      await server?.stop();
    });
    afterEach(() => {
      proxy.harm = () => undefined;
    });
    const checkBucket = async (given: Readonly<Record<string, string>> = {}): Promise<Finding | undefined> => {
      const [found] = await check({
        'hiero.mirror.importer.network': 'testnet',
        [`${downloader}.bucketName`]: 'streams',
        [`${downloader}.endpointOverride`]: proxy.endpoint,
        ...keys,
        ...given,
      });
      return found;
    };

    it('has files from a time on', async () => {
      expect(await checkBucket()).toMatchObject({
        result: 'ok',
        message: `s3://streams at ${proxy.endpoint}: files of 1 of 7 nodes, from 2024-01-01T00_00_02.5Z`,
      });
      expect(
        await checkBucket({ [sourceFolder]: 's3://streams', [`${downloader}.bucketName`]: 'empty' }),
      ).toMatchObject({
        result: 'ok',
      });
    });

    it.each([
      ['no files', { [`${downloader}.bucketName`]: 'empty' }, 'has no record files of the 7 nodes', 'pathPrefix'],
      [
        'no files after the start',
        { 'hiero.mirror.importer.startDate': '2025-01-01T00:00:00Z' },
        'has no record',
        'startDate',
      ],
      ['no such bucket', { [`${downloader}.bucketName`]: 'nowhere' }, 'NoSuchBucket', 'bucketName'],
      ['unknown keys', { [`${downloader}.accessKey`]: 'NOBODY' }, 'InvalidAccessKeyId', 'accessKey'],
      ['a wrong secret', { [`${downloader}.secretKey`]: 'wrong' }, 'SignatureDoesNotMatch', 'secretKey'],
      ['half of the keys', { [`${downloader}.secretKey`]: '' }, 'belong together', 'setting'],
      ['no store there', { [`${downloader}.endpointOverride`]: 'http://127.0.0.1:9' }, 'ECONNREFUSED', 'answers'],
    ])('has %s', async (_, given, message, advice) => {
      expect(await checkBucket(given)).toMatchObject({
        result: 'fail',
        message: expect.stringContaining(message),
        advice: expect.stringContaining(advice),
      });
    });

    it('wants the reader to pay, or hangs', async () => {
      proxy.harm = () => ({ status: 403, code: 'AccessDenied' });
      expect(await checkBucket()).toMatchObject({ result: 'fail', advice: expect.stringContaining('pays') });
      proxy.harm = () => 'hang';
      const hasty = { [`${downloader}.timeout`]: '1s' };
      expect(await checkBucket(hasty)).toMatchObject({ result: 'fail', advice: expect.stringContaining('in time') });
      proxy.harm = ({ query }) => (query.get('prefix')?.includes('0.0.3/') ? 'hang' : undefined);
      expect(await checkBucket(hasty)).toMatchObject({
        result: 'warn',
        message: expect.stringContaining('files of 1 of 7 nodes'),
      });
    });
  });
});

describe('the clock', () => {
  it('is right within reason and near the database server', () => {
    const now = Date.UTC(2027, 1, 1);
    expect(checkClock(now).result).toBe('ok');
    expect(checkClock(now, now + 4_000).result).toBe('ok');
    expect(checkClock(now, now + 60_000)).toMatchObject({
      result: 'warn',
      message: "60s apart from the database server's",
    });
    expect(checkClock(0).result).toBe('fail');
  });
});

describe('the embedded server', () => {
  it('is installed and has not run here', () => {
    const { finding, running } = checkEmbedded(join(folder, 'postgres'));
    expect(finding.result).toBe('ok');
    expect(running).toBeUndefined();
  });
});

describe('the database', () => {
  it('is described from version to newest block', async () => {
    const { connectionString, drop } = await createTestDatabase();
    try {
      const { findings, now } = await checkDatabase(connectionString, 'public');
      expect(results(findings)).toEqual(['database: ok', 'schema: ok', 'importer: ok', 'ledger: ok']);
      expect(findings.map(({ message }) => message).slice(1)).toEqual([
        expect.stringMatching(/^up to date, \d+ migrations$/),
        'none is running now',
        'no blocks yet',
      ]);
      expect(Math.abs((now ?? 0) - Date.now())).toBeLessThan(60_000);
    } finally {
      await drop();
    }
  });

  it('knows why the import stands still', async () => {
    const { connectionString, database, drop } = await createTestDatabase();
    const importFinding = async (): Promise<Finding | undefined> =>
      (await checkDatabase(connectionString, 'public')).findings.find(({ subject }) => subject === 'import');
    const stand = (state: string, code: string, message: string): Promise<unknown> =>
      database.query(
        `insert into kagami.importer_state values (true, $1, $2, $3, '2026-01-01T00_00_00Z', 'somebody', '2026-01-02T03:04:05Z')
         on conflict (only_row) do update set state = excluded.state, code = excluded.code, message = excluded.message`,
        [state, code, message],
      );
    try {
      expect(await importFinding()).toBeUndefined();
      await stand('stopped', 'STREAM_CHAIN_BROKEN', '2026-01-01T00_00_00Z.rcd.gz: block 7 is missing');
      expect(await importFinding()).toMatchObject({
        result: 'fail',
        message: 'stopped 2026-01-02T03:04:05Z: 2026-01-01T00_00_00Z.rcd.gz: block 7 is missing (STREAM_CHAIN_BROKEN)',
        advice: expect.stringContaining('--accept-gaps'),
      });
      await stand('stopped', 'UNEXPECTED', 'x is not a function');
      expect(await importFinding()).toMatchObject({ result: 'fail', advice: expect.stringContaining('report it') });
      await stand('ended', 'IMPORT_RANGE_ENDED', 'The last block of the range is imported');
      expect(await importFinding()).toMatchObject({ result: 'ok', message: expect.stringContaining('endDate') });

      const lease = await acquireWriter({ connectionString });
      await stand('waiting', 'STREAM_NO_CONSENSUS', '1 of 4 signed');
      expect(await importFinding()).toMatchObject({
        result: 'warn',
        message: 'waiting since 2026-01-02T03:04:05Z: 2026-01-01T00_00_00Z: 1 of 4 signed (STREAM_NO_CONSENSUS)',
        advice: expect.stringContaining('Too few nodes signed'),
      });
      await stand('stopped', 'ROW_INVALID', 'a row');
      expect(await importFinding()).toMatchObject({ result: 'warn', message: expect.stringContaining('begun again') });
      await database.query('delete from kagami.importer_state');
      const insertBlock = (minutesAgo: number): Promise<unknown> =>
        database.query(
          `insert into record_file (consensus_start, consensus_end, hash, prev_hash, index, name, version, load_start, load_end, count,
             digest_algorithm, file_hash)
           values ($1::bigint, $1, 'a' || $1, 'b', $1, 'x', 6, 1, (extract(epoch from now()) - 60 * $2::int) * 1000, 0, 0, 'c')`,
          [10 - minutesAgo, minutesAgo],
        );
      await insertBlock(9);
      expect(await importFinding()).toMatchObject({
        result: 'warn',
        message: 'no block since block 1 9 minutes ago, and no reason given',
      });
      await insertBlock(1);
      expect(await importFinding()).toBeUndefined();
      await lease.release();
      await database.query('drop table kagami.importer_state');
      expect(await importFinding()).toBeUndefined();
    } finally {
      await drop();
    }
  });

  it('is empty, or belongs to another application', async () => {
    const { connectionString, database, drop } = await createTestDatabase({ empty: true });
    try {
      const schemaOf = async () =>
        (await checkDatabase(connectionString, 'public')).findings.find(({ subject }) => subject === 'schema')?.message;
      expect(await schemaOf()).toBe('empty; the first start applies it');
      await database.query('create table invoice (id int)');
      expect(await schemaOf()).toBe('tables of another application');
    } finally {
      await drop();
    }
  });

  it('does not answer', async () => {
    const { findings } = await checkDatabase('postgres://nobody:secret@127.0.0.1:1/none', 'public');
    expect(results(findings)).toEqual(['database: fail']);
    expect(findings[0]?.advice).toContain('Check that PostgreSQL runs');
    expect(JSON.stringify(findings)).not.toContain('secret');
  });
});
