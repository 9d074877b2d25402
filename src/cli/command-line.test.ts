import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommandLine } from './command-line.ts';
import { createStyle } from './terminal/terminal.ts';

const cwd = mkdtempSync(join(tmpdir(), 'kagami-cli-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const run = async (...args: string[]) => {
  let out = '';
  let err = '';
  const code = await runCommandLine(args, {
    cwd,
    env: {},
    terminal: {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      interactive: false,
      columns: 100,
      style: createStyle(false),
    },
  });
  return { code, out, err };
};

describe('the command line', () => {
  it('explains itself', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    for (const command of [
      'start',
      'import',
      'migrate',
      'simulate',
      'check-stream',
      'reconcile',
      'database-url',
      'doctor',
    ]) {
      expect(out).toMatch(new RegExp(`^ {2}${command} `, 'm'));
    }
    expect(out).toContain('Exit codes:');
  });

  it.each(['start', 'import', 'migrate', 'simulate', 'check-stream', 'reconcile', 'database-url', 'doctor'])(
    'explains %s with examples',
    async (name) => {
      const { code, out } = await run(name, '--help');
      expect(code).toBe(0);
      expect(out).toContain(`Usage: kagami ${name}`);
      expect(out).toContain(`  kagami ${name}`);
      expect(out).toContain('--set <name=value>');
      for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(120);
    },
  );

  it('ends quietly when nobody reads on', () => {
    const main = fileURLToPath(new URL('./main.ts', import.meta.url));
    const { stderr, status } = spawnSync('sh', ['-c', '"$0" "$1" --help | true', process.execPath, main], {
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  });

  it('knows its version', async () => {
    expect((await run('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('refuses what it does not know, with the nearest known word', async () => {
    const command = await run('strat');
    expect(command.code).toBe(2);
    expect(command.err).toContain('Did you mean start?');
    const option = await run('start', '--prot', '1');
    expect(option.code).toBe(2);
    expect(option.err).toContain('Did you mean --port?');
    expect((await run('import')).code).toBe(2);
  });

  it('refuses wrong settings before anything starts, naming the flag', async () => {
    const { code, err } = await run('start', '--port', 'x', '--set', 'kagami.simulator.tps=-1');
    expect(code).toBe(2);
    const { msg, code: errorCode, stack } = JSON.parse(err) as Record<string, string>;
    expect(msg).toContain(
      'hiero.mirror.rest.port (--port): "x" is not allowed: must be a whole number from 0 to 65535',
    );
    expect(msg).toContain('kagami.simulator.tps (--set): "-1" is not allowed: must be a number from 0 to 100000');
    expect([errorCode, stack]).toEqual(['CONFIG_INVALID', undefined]);
  });

  it('finds a taken port before it makes anything', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const { code, err } = await run('start', '--port', String(port), '--data', 'of-taken-port');
    const ofGrpc = await run(
      'start',
      '--port',
      '0',
      '--set',
      `hiero.mirror.grpc.port=${port}`,
      '--data',
      'of-taken-port',
    );
    await new Promise((resolve) => taken.close(resolve));
    expect(ofGrpc.code).toBe(1);
    expect(ofGrpc.err).toContain(`port ${port} (hiero.mirror.grpc.port): another program listens there`);
    expect(code).toBe(1);
    expect(err).toContain(`Cannot listen on 127.0.0.1 port ${port}: another program listens there`);
    expect(err).toContain('--port (hiero.mirror.rest.port)');
    expect(existsSync(join(cwd, 'of-taken-port'))).toBe(false);
  });

  it('names the other flag for an address that is none of this machine', async () => {
    const { code, err } = await run('start', '--host', '192.0.2.1', '--port', '0', '--data', 'of-other-address');
    expect(code).toBe(1);
    expect(err).toContain('Cannot listen on 192.0.2.1 port 0: this machine has no such address');
    expect(existsSync(join(cwd, 'of-other-address'))).toBe(false);
  });

  it('simulates neither for a network that is none nor into a database of somebody', async () => {
    for (const args of [
      ['--network', 'mainet'],
      ['--network', 'other'],
    ]) {
      const { code, err } = await run('start', ...args, '--port', '0', '--data', 'of-no-network');
      expect([code, existsSync(join(cwd, 'of-no-network', 'network'))]).toEqual([2, false]);
      expect(err).toContain(args[1] === 'mainet' ? 'did you mean mainnet?' : '--simulate');
    }
    const database = 'postgres://me:secret@127.0.0.1:9/mine';
    const { code, err } = await run('start', '--database', database, '--port', '0');
    expect(code).toBe(2);
    expect(err).toContain('127.0.0.1:9/mine would be filled');
    expect(err).not.toContain('secret');
  });

  it('shows where an error comes from with --debug', async () => {
    const { err } = await run('start', '--port', 'x', '--debug');
    expect(err).toContain('load.ts');
  });

  it('reads files named on the command line', async () => {
    const file = join(cwd, 'mine.yml');
    writeFileSync(file, 'kagami:\n  log:\n    level: loud\n');
    const { code, err } = await run('check-stream', '.', '--config', 'mine.yml');
    expect(code).toBe(2);
    expect(err).toContain(`kagami.log.level (${file}:3): "loud" is not allowed`);
  });
});

describe('database-url', () => {
  it('is that of the settings, or says that none runs', async () => {
    const url = 'postgres://me:p%40ss@db.example:5433/mirror?sslmode=require';
    expect(await run('database-url', '--database', url)).toEqual({ code: 0, out: `${url}\n`, err: '' });
    const parts = ['--set', 'hiero.mirror.importer.db.host=db', '--set', 'hiero.mirror.importer.db.ownerPassword=o'];
    expect((await run('database-url', ...parts)).out).toBe(
      'postgresql://mirror_api:mirror_api_pass@db:5432/mirror_node?sslmode=disable\n',
    );
    expect((await run('database-url', '--owner', ...parts)).out).toBe(
      'postgresql://mirror_node:o@db:5432/mirror_node?sslmode=disable\n',
    );
    const { code, err } = await run('database-url');
    expect(code).toBe(4);
    expect(err).toContain('The embedded PostgreSQL does not run');
  });
});

describe('check-stream', () => {
  it('needs an address book unless files may be unsigned', async () => {
    const { code, err } = await run('check-stream', cwd);
    expect(code).toBe(2);
    expect(err).toContain('No address book: give --address-book FILE');
  });

  it('ends with the code for streams when there is nothing', async () => {
    const { code, err } = await run('check-stream', cwd, '--trust-unsigned');
    expect(code).toBe(3);
    expect(err).toContain('SOURCE_EMPTY');
  });
});
