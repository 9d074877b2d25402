/** Output that is no terminal: records, one a line, and nothing else. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from './testing/free-port.fixture.ts';
import { startKagami } from './testing/kagami-process.fixture.ts';

interface LogRecord {
  readonly level: number;
  readonly time: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kagami-piped-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));

/** Every line is a record, or this fails. */
const recordsIn = (output: string): LogRecord[] => {
  const records = output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as LogRecord);
  for (const { level, time, msg } of records) {
    expect([typeof level, Number.isNaN(Date.parse(time)), typeof msg]).toEqual(['number', false, 'string']);
  }
  return records;
};

const run = (...args: string[]) => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [main, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  });
  return { stdout, stderr, status };
};

describe('output that is no terminal', { timeout: 180_000 }, () => {
  it('of kagami start is records from the begin to the end', async () => {
    const port = await freePort();
    const flags = ['--port', String(port), '--set', 'kagami.server.additionalPorts=', '--data', 'data'];
    // A warning about the configuration is one of them too.
    writeFileSync(join(folder, 'application.yml'), 'hiero.mirror.rest.prot: 7\n');
    const node = startKagami(folder, ['start', ...flags]);
    await node.says('"msg":"status"', 90_000);
    expect(await node.end('SIGTERM')).toBe(0);
    const records = recordsIn(node.output());
    expect(records.find(({ msg }) => msg === 'Kagami runs')).toMatchObject({
      host: '127.0.0.1',
      ports: [port],
      url: `http://127.0.0.1:${port}/api/v1`,
      source: expect.stringContaining('simulated network'),
    });
    expect(records.find(({ msg }) => msg === 'status')).toMatchObject({ memoryBytes: expect.any(Number) });
    expect(records.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['Stopping.']));
    expect(records.some(({ msg }) => msg.includes('did you mean hiero.mirror.rest.port'))).toBe(true);
  });

  it('of a start that fails ends with the error as a record', () => {
    for (const [args, code, status] of [
      [['start', '--port', 'x'], 'CONFIG_INVALID', 2],
      [['start', '--database', 'nonsense'], 'CONFIG_INVALID', 2],
      [['import', 'nowhere', '--trust-unsigned', '--data', '/dev/null/x'], 'DATA_FOLDER_UNUSABLE', 4],
    ] as const) {
      const ended = run(...args);
      expect([ended.stdout, ended.status]).toEqual(['', status]);
      expect(recordsIn(ended.stderr).at(-1)).toMatchObject({ level: 60, code, hint: expect.any(String) });
    }
  });

  it('is text where text was asked for, and where a report is the result', () => {
    const text = run('start', '--set', 'kagami.log.format=text', '--database', 'nonsense');
    expect(text.stderr).toMatch(/^Error: kagami.database.url/m);
    const report = run('check-stream', '.', '--trust-unsigned');
    expect(report.stderr).toMatch(/^\S+ warn {2}What no node signed is accepted/m);
    expect(report.stderr).toMatch(/^Error: /m);
  });
});
