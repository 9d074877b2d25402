/** Output that goes away ends nothing: real processes, whose reader leaves. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isPostmasterOf, readPostmaster } from '../../database/embedded/postmaster-file.ts';
import { freePort } from './testing/free-port.fixture.ts';
import { eventually } from './testing/kagami-process.fixture.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
const PATIENCE_MS = 60_000;

let folder: string;
let shell: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kagami-lost-output-'));
});
afterEach(() => {
  const { pid } = shell ?? {};
  if (pid !== undefined) signalGroup(pid, 'SIGKILL');
  const cluster = join(folder, 'data', 'postgres', 'cluster');
  const left = readPostmaster(cluster);
  if (left !== undefined && isPostmasterOf(left.pid, cluster)) process.kill(left.pid, 'SIGQUIT');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

/** As the terminal does it: to every process of the pipeline. */
const signalGroup = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pid, signal);
  } catch {
    // All of them have ended.
  }
};

/** Runs `kagami start` with both streams into a reader; its exit code and process id go to files. */
const startInto = (reader: string, port: number, ...flags: string[]): number => {
  const command = `sh -c 'echo $$ > pid; exec "$0" "$@"' "$@" 2>&1; echo $? > code`;
  const flagsOfAll = ['start', '--data', 'data', '--port', String(port), '--set', 'kagami.server.additionalPorts='];
  shell = spawn('sh', ['-c', `{ ${command}; } | ${reader}`, 'sh', process.execPath, main, ...flagsOfAll, ...flags], {
    cwd: folder,
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  });
  return shell.pid ?? 0;
};

const isServed = (port: number) => async (): Promise<boolean> => {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/blocks?limit=1`).catch(() => undefined);
  const body = (await response?.json()) as { readonly blocks?: readonly { readonly number: number }[] } | undefined;
  return (body?.blocks?.length ?? 0) > 0;
};

const newestBlock = async (port: number): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/blocks?limit=1`);
  const { blocks } = (await response.json()) as { readonly blocks: readonly { readonly number: number }[] };
  return blocks[0]?.number ?? -1;
};

const exitCode = (): Promise<string> =>
  eventually('exit code', PATIENCE_MS, () => {
    const file = join(folder, 'code');
    return existsSync(file) ? readFileSync(file, 'utf8').trim() || undefined : undefined;
  });

const leavesNothing = (): void => {
  expect(existsSync(join(folder, 'data', 'postgres', 'kagami.lock'))).toBe(false);
  expect(readPostmaster(join(folder, 'data', 'postgres', 'cluster'))).toBeUndefined();
};

describe('output that goes away', { timeout: 3 * PATIENCE_MS }, () => {
  it('does not end a node whose reader has seen enough, and its stop stays orderly', async () => {
    const port = await freePort();
    // Debug output comes all the time, so that much is written to nobody.
    startInto('head -n 1', port, '--log-level', 'debug');
    await eventually('block', PATIENCE_MS, isServed(port));
    const seen = await newestBlock(port);
    await eventually('further blocks', PATIENCE_MS, async () => (await newestBlock(port)) >= seen + 3);
    expect(existsSync(join(folder, 'code'))).toBe(false);
    process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 'SIGTERM');
    expect(await exitCode()).toBe('0');
    leavesNothing();
  });

  it('lets Ctrl-C stop the node in good order when it ends the reader too', async () => {
    const port = await freePort();
    const group = startInto('tee log', port);
    await eventually('block', PATIENCE_MS, isServed(port));
    // Only node is to be asked to stop: the shell around it would end without noting the exit code.
    const reader = await eventually('reader', PATIENCE_MS, () => childNamed(group, 'tee'));
    process.kill(reader, 'SIGINT');
    process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 'SIGINT');
    expect(await exitCode()).toBe('0');
    leavesNothing();
  });

  it('is told by the exit code where a result could not be written', async () => {
    const ended = spawn('sh', ['-c', '"$0" "$1" --help > /dev/full', process.execPath, main], { stdio: 'ignore' });
    const [code] = (await once(ended, 'exit')) as [number];
    expect(code).toBe(1);
  });
});

/** Process id of the group's process of this name. */
const childNamed = (group: number, name: string): number | undefined => {
  const children = readFileSync(`/proc/${group}/task/${group}/children`, 'utf8').trim().split(' ').map(Number);
  return children.find((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === name);
};
