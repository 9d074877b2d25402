/** The `kagami` command in a process of its own, run from its source. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../../main.ts', import.meta.url));
const pollMs = 10;

/** Waits until `look` gives something; false and undefined are nothing. */
export const eventually = async <T>(
  what: string,
  withinMs: number,
  look: () => Promise<T> | T,
): Promise<NonNullable<T>> => {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`No ${what} within ${withinMs} ms`);
    await pause(pollMs);
  }
};

export interface KagamiProcess {
  readonly pid: number;
  /** Both streams, so far. */
  output(): string;
  /** Waits for a text in the output. */
  says(text: string, withinMs?: number): Promise<void>;
  /** Waits for the process to end by itself; gives the exit code. */
  exited(): Promise<number | null>;
  /** Sends a signal and waits for the end; gives the exit code, null when the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** @param cwd the process reads its configuration there; no setting of the caller's environment reaches it */
export const startKagami = (cwd: string, args: readonly string[]): KagamiProcess => {
  const child: ChildProcess = spawn(process.execPath, [command, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NO_COLOR: '1',
    },
  });
  const exited = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return {
    pid: child.pid ?? 0,
    output: () => output,
    says: async (text, withinMs = 20_000) => {
      await eventually(`"${text}"`, withinMs, () => {
        if (child.exitCode !== null) throw new Error(`kagami ended with ${child.exitCode}:\n${output}`);
        return output.includes(text);
      });
    },
    exited: async () => {
      await exited;
      return child.exitCode;
    },
    end: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
      return child.exitCode;
    },
  };
};
