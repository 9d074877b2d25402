/** What `kagami start` says every few seconds. */
import { formatBytes, formatCount, formatElapsed, formatRate } from './figures.ts';
import type { Terminal } from './terminal.ts';

export interface NodeStatus {
  /** Newest block in the database; undefined while there is none. */
  readonly block: bigint | undefined;
  /** Transactions imported since this process started. */
  readonly transactions: number;
  /** Seconds between now and the consensus time of the newest block. */
  readonly lagSeconds: number | undefined;
  /** Resident bytes of this process. */
  readonly memoryBytes: number;
  /** Why nothing is imported at the moment, if so: `waiting for another importer`. */
  readonly note?: string | undefined;
}

/**
 * One line: `14:02:11  block 1,204  50 tx/s  lag 1.2s  memory 120 MiB`.
 * @param previous status `seconds` ago; the rate is taken between the two
 */
export const formatStatus = (
  status: NodeStatus,
  previous: NodeStatus | undefined,
  seconds: number,
  time: Date,
): string => {
  const parts = [time.toTimeString().slice(0, 8)];
  parts.push(status.block === undefined ? 'no block yet' : `block ${formatCount(status.block)}`);
  if (previous && seconds > 0) {
    parts.push(`${formatRate((status.transactions - previous.transactions) / seconds)} tx/s`);
  }
  if (status.lagSeconds !== undefined) parts.push(`lag ${formatElapsed(Math.max(0, status.lagSeconds))}`);
  parts.push(`memory ${formatBytes(status.memoryBytes)}`);
  if (status.note) parts.push(status.note);
  return parts.join('  ');
};

export interface StatusPrinter {
  stop(): void;
}

/** The same as a record's fields; the block stays exact. */
export const statusRecord = (status: NodeStatus, previous: NodeStatus | undefined, seconds: number): object => ({
  ...(status.block === undefined ? {} : { block: status.block.toString() }),
  ...(previous && seconds > 0
    ? { transactionsPerSecond: Number(((status.transactions - previous.transactions) / seconds).toFixed(1)) }
    : {}),
  ...(status.lagSeconds === undefined ? {} : { lagSeconds: Number(Math.max(0, status.lagSeconds).toFixed(1)) }),
  memoryBytes: status.memoryBytes,
  ...(status.note ? { note: status.note } : {}),
});

/** Takes a status, the one before it and the seconds between them. */
export type StatusWriter = (status: NodeStatus, previous: NodeStatus | undefined, seconds: number) => void;

export const statusLines =
  (terminal: Terminal): StatusWriter =>
  (status, previous, seconds) =>
    terminal.out(`${formatStatus(status, previous, seconds, new Date())}\n`);

/**
 * Prints a line every `intervalMs`; while nothing changes, only every tenth time.
 * @param read gives the status of this moment
 */
export const startStatusPrinter = (
  write: StatusWriter,
  read: () => NodeStatus | Promise<NodeStatus>,
  intervalMs = 5_000,
): StatusPrinter => {
  let printed: { status: NodeStatus; at: number } | undefined;
  let unchanged = 0;
  let busy = false;
  const tick = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    try {
      const status = await read();
      const same = printed && printed.status.block === status.block && printed.status.note === status.note;
      unchanged = same ? unchanged + 1 : 0;
      if (unchanged % 10 !== 0) return;
      const at = performance.now();
      const seconds = printed ? (at - printed.at) / 1_000 : 0;
      write(status, printed?.status, seconds);
      printed = { status, at };
    } catch {
      // A status that cannot be read is no event of its own: whatever broke reports itself.
    } finally {
      busy = false;
    }
  };
  const timer = setInterval(() => void tick(), intervalMs);
  return {
    stop: () => {
      clearInterval(timer);
    },
  };
};
