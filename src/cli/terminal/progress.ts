/** Progress over a known number of files: one redrawn line on a terminal, now and then a plain line elsewhere. */
import { formatCount, formatElapsed, formatRate } from './figures.ts';
import type { Terminal } from './terminal.ts';

export interface ProgressState {
  /** Files done. */
  readonly done: number;
  /** Files in all; undefined while nobody knows. */
  readonly total: number | undefined;
  readonly transactions: number;
}

export interface ProgressBar {
  update(state: ProgressState): void;
  /** Removes the redrawn line, so that other output can follow. */
  finish(): void;
}

export interface ProgressOptions {
  /** Milliseconds between two lines where lines cannot be redrawn. */
  readonly plainInterval?: number;
  /** Milliseconds between two redraws. */
  readonly redrawInterval?: number;
  /** Milliseconds, monotonic. */
  readonly now?: () => number;
}

/** The same as records: figures with their names, every `interval` milliseconds. */
export const createProgressRecords = (
  record: (figures: object, message: string) => void,
  label: string,
  interval = 5_000,
  now: () => number = () => performance.now(),
): ProgressBar => {
  const start = now();
  let last = start;
  return {
    update: ({ done, total, transactions }) => {
      const time = now();
      if (time - last < interval) return;
      last = time;
      const transactionsPerSecond = Math.round(transactions / ((time - start) / 1_000));
      record(
        { files: done, ...(total === undefined ? {} : { of: total }), transactions, transactionsPerSecond },
        label,
      );
    },
    finish: () => undefined,
  };
};

/** @param label what is being done, for example `Importing` */
export const createProgressBar = (terminal: Terminal, label: string, options: ProgressOptions = {}): ProgressBar => {
  const now = options.now ?? (() => performance.now());
  const interval = terminal.interactive ? (options.redrawInterval ?? 100) : (options.plainInterval ?? 5_000);
  const start = now();
  let last = terminal.interactive ? Number.NEGATIVE_INFINITY : start;
  let drawn = false;
  return {
    update: (state) => {
      const time = now();
      if (time - last < interval && !(terminal.interactive && state.done === state.total)) return;
      last = time;
      const text = progressText(label, state, (time - start) / 1_000);
      if (!terminal.interactive) {
        terminal.out(`${text}\n`);
        return;
      }
      terminal.out(`\r\u001b[K${withBar(terminal, state, text)}`);
      drawn = true;
    },
    finish: () => {
      if (drawn) terminal.out('\r\u001b[K');
      drawn = false;
    },
  };
};

/** `Importing 12 of 40 files, 30%, 13,400 transactions/s, 3s left`. */
export const progressText = (label: string, state: ProgressState, seconds: number): string => {
  const { done, total, transactions } = state;
  const parts = [
    total === undefined
      ? `${label} ${formatCount(done)} files`
      : `${label} ${formatCount(done)} of ${formatCount(total)} files`,
  ];
  if (total) parts.push(`${Math.floor((done / total) * 100)}%`);
  if (seconds > 0) parts.push(`${formatRate(transactions / seconds)} transactions/s`);
  if (total && done > 0 && done < total) parts.push(`${formatElapsed((seconds / done) * (total - done))} left`);
  return parts.join(', ');
};

const withBar = (terminal: Terminal, { done, total }: ProgressState, text: string): string => {
  const width = Math.min(30, terminal.columns - text.length - 4);
  const room = terminal.columns - 1;
  if (!total || width < 8) return text.slice(0, room);
  const filled = Math.round((Math.min(done, total) / total) * width);
  return `${terminal.style.green('█'.repeat(filled))}${terminal.style.dim('░'.repeat(width - filled))} ${text}`;
};
