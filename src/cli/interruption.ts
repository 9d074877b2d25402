/** Ctrl-C: the first asks for a clean stop, the second ends the process at once. SIGTERM asks like the first. */
import { exitCodes } from './exit-code.ts';
import type { Terminal } from './terminal/terminal.ts';

/**
 * Milliseconds within which a signal repeats the one before. A terminal sends Ctrl-C to every process of a command, and a
 * launcher passes it on to the process that it waits for.
 */
const ECHO_MS = 100;

export interface SignalSource {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
}

export interface Interruption {
  /** Aborted by the first Ctrl-C or SIGTERM; the reason is the signal's name. */
  readonly signal: AbortSignal;
  /** Resolves when a stop is asked for. */
  readonly requested: Promise<void>;
  /** Gives the signals back to their default. */
  release(): void;
}

/**
 * @param exit ends the process at once; called for the second Ctrl-C
 * @param clock gives milliseconds
 */
export const watchInterruption = (
  terminal: Terminal,
  source: SignalSource = process,
  exit: (code: number) => void = (code) => process.exit(code),
  clock: () => number = () => performance.now(),
): Interruption => {
  const controller = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  let last = Number.NEGATIVE_INFINITY;
  const listener = (signal: NodeJS.Signals): void => {
    const before = last;
    last = clock();
    if (last - before < ECHO_MS) return;
    if (controller.signal.aborted) {
      terminal.err('\nStopping at once. The next start repairs what was cut off.\n');
      exit(exitCodes.interrupted);
      return;
    }
    terminal.err(`\n${signal === 'SIGINT' ? 'Stopping; Ctrl-C again to stop at once.' : 'Stopping.'}\n`);
    controller.abort(signal);
    resolve();
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) source.on(signal, listener);
  return {
    signal: controller.signal,
    requested: promise,
    release: () => {
      for (const signal of signals) source.off(signal, listener);
    },
  };
};
