import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../database/testing/test-database.fixture.ts';
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
    expect(checkDataPath(file).result).toBe('fail');
  });
});

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
    expect(results(await checkPorts({ host, primary: free, additional: [ours, other] }))).toEqual([
      `port ${free}: ok`,
      `port ${ours}: ok`,
      `port ${other}: warn`,
    ]);
    expect(results(await checkPorts({ host, primary: other, additional: [] }))).toEqual([`port ${other}: fail`]);
  });

  it('cannot be opened on an address of another machine', async () => {
    const [found] = await checkPorts({ host: '192.0.2.1', primary: 5551, additional: [] });
    expect(found).toMatchObject({ result: 'fail', message: 'cannot be opened on 192.0.2.1: EADDRNOTAVAIL' });
  });
});

describe('the source', () => {
  const base = { folder: '', addressBook: '', trustUnsigned: false, simulatorEnabled: true, cwd: folder };

  it('is simulated, a folder, or nothing', async () => {
    expect(results(await checkSource(base))).toEqual(['source: ok']);
    expect(results(await checkSource({ ...base, simulatorEnabled: false }))).toEqual(['source: warn']);
    expect(results(await checkSource({ ...base, folder: 'none' }))).toEqual(['source: fail', 'address book: warn']);
  });

  it('must have a known layout and an address book that can be read', async () => {
    mkdirSync(join(folder, 'empty'));
    expect(results(await checkSource({ ...base, folder: 'empty' }))).toEqual(['source: fail', 'address book: warn']);
    mkdirSync(join(folder, 'streams', 'record0.0.3'), { recursive: true });
    writeFileSync(join(folder, 'book.bin'), 'no address book');
    const found = await checkSource({ ...base, folder: 'streams', addressBook: 'book.bin' });
    expect(results(found)).toEqual(['source: ok', 'address book: fail']);
    expect(found[0]?.message).toContain('files of 1 nodes');
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
