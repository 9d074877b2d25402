import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';

const module = new URL('./lifeline.ts', import.meta.url).href;

/** Starts a process, ties it to itself, and tells its id. */
const PARENT = `
  import { spawn } from 'node:child_process';
  const { endWithThisProcess } = await import('${module}');
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  endWithThisProcess(child);
  process.stdout.write(child.pid + '\\n');
  child.on('exit', (code, signal) => process.stdout.write('ended by ' + signal + '\\n'));
`;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const ended = async (pid: number): Promise<boolean> => {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (!isAlive(pid)) return true;
    await pause(100);
  }
  return false;
};

const startParent = async (): Promise<{ parent: ChildProcess; pid: number; lines: AsyncIterator<string> }> => {
  const parent = spawn(process.execPath, ['--input-type=module', '-e', PARENT], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: parent.stdout })[Symbol.asyncIterator]();
  const { value } = await lines.next();
  const pid = Number(value);
  onTestFinished(() => {
    parent.kill('SIGKILL');
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  return { parent, pid, lines };
};

test.for(['SIGTERM', 'SIGKILL', 'SIGINT'] as const)(
  'a process ends with the one that started it, by %s',
  async (signal) => {
    const { parent, pid } = await startParent();
    expect(isAlive(pid)).toBe(true);
    parent.kill(signal);
    await once(parent, 'exit');
    expect(await ended(pid)).toBe(true);
  },
);

test('a process that ends first keeps nothing waiting', async () => {
  const { parent, pid, lines } = await startParent();
  const exit = once(parent, 'exit');
  process.kill(pid, 'SIGTERM');
  expect((await lines.next()).value).toBe('ended by SIGTERM');
  expect((await exit)[0]).toBe(0);
});
