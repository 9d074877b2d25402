/**
 * Ctrl-C: the first asks for a clean stop, the second ends the process at once. SIGTERM, and SIGHUP of a terminal that was
 * closed, ask like the first.
 */
import type { Logger } from 'pino';
import { exitCodes } from './exit-code.ts';
import type { Terminal } from './terminal/terminal.ts';

export interface SignalSource {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
}

export interface Interruption {
  /** Aborted by the first of the signals; the reason is its name. */
  readonly signal: AbortSignal;
  /** Resolves when a stop is asked for. */
  readonly requested: Promise<void>;
  /** Gives the signals back to their default. */
  release(): void;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Milliseconds within which another signal is the same request: one Ctrl-C reaches every process of the terminal, and npm
 * hands it on to the one that it runs.
 */
const SAME_REQUEST_MS = 500;

/**
 * @param exit ends the process at once; called for the second Ctrl-C
 * @param now milliseconds, monotonic
 */
export const watchInterruption = (
  terminal: Pick<Terminal, 'err'>,
  source: SignalSource = process,
  exit: (code: number) => void = (code) => process.exit(code),
  now: () => number = () => performance.now(),
): Interruption => {
  const controller = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  let asked = 0;
  const listener = (signal: NodeJS.Signals): void => {
    if (controller.signal.aborted) {
      if (now() - asked < SAME_REQUEST_MS) return;
      terminal.err('\nStopping at once. The next start repairs what was cut off.\n');
      exit(exitCodes.interrupted);
      return;
    }
    terminal.err(`\n${signal === 'SIGINT' ? 'Stopping; Ctrl-C again to stop at once.' : 'Stopping.'}\n`);
    asked = now();
    controller.abort(signal);
    resolve();
  };
  for (const signal of signals) source.on(signal, listener);
  return {
    signal: controller.signal,
    requested: promise,
    release: () => {
      for (const signal of signals) source.off(signal, listener);
    },
  };
};

/** Where the words about a stop go: into the log where output is records. */
export const noticesOf = (
  terminal: Terminal,
  { logger, records }: { readonly logger: Pick<Logger, 'info'>; readonly records?: Logger },
): Pick<Terminal, 'err'> => (records === undefined ? terminal : { err: (text) => logger.info(text.trim()) });
