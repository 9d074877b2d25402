/** Sums over the commits of an import, and the summary that shows them. */

import type { CommittedBlocks } from '../../importer/pipeline/block-commit.ts';
import type { ChainPosition } from '../../importer/pipeline/chain-position.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { formatBytes, formatCount, formatElapsed, formatRate } from '../terminal/figures.ts';
import { formatPairs } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';

/** The largest types are named, the rest is one figure. */
const NAMED_TYPES = 8;

export class ImportTotals {
  blocks = 0;
  transactions = 0;
  bytes = 0;
  errors = 0;
  readonly sidecars = { read: 0, missing: 0, unwanted: 0 };
  last: CommittedBlocks | undefined;
  readonly #types = new Map<string, number>();
  readonly #unhandled = new Map<string, number>();

  add(committed: CommittedBlocks): void {
    this.blocks += committed.blocks;
    this.transactions += committed.transactions;
    this.bytes += committed.bytes;
    this.errors += committed.errorCount;
    for (const fate of ['read', 'missing', 'unwanted'] as const) this.sidecars[fate] += committed.sidecars[fate];
    this.last = committed;
    addCounts(this.#types, committed.types);
    addCounts(this.#unhandled, committed.unhandledTypes);
  }

  /**
   * @param seconds time that the import took
   * @param before the newest block before it
   */
  summary(seconds: number, style: Style, before?: Pick<ChainPosition, 'index'>): string {
    if (this.last === undefined) return nothingImported(before);
    const rows: [string, string][] = [
      ['Files', `${formatCount(this.blocks)}, ${formatBytes(this.bytes)}`],
      ['Transactions', `${formatCount(this.transactions)}: ${namedCounts(this.#types)}`],
      ['Newest block', `${this.last.blockNumber}, consensus time ${formatTimestamp(this.last.consensusEnd)}`],
      ['Took', `${formatElapsed(seconds)}, ${formatRate(this.transactions / Math.max(seconds, 1e-3))} transactions/s`],
    ];
    const { read, missing, unwanted } = this.sidecars;
    if (read > 0) rows.push(['Sidecars', `${formatCount(read)} files`]);
    if (missing > 0) {
      rows.push(['Left out', `${formatCount(missing)} sidecar files, which are missing: ${WITHOUT_SIDECARS}`]);
    }
    if (unwanted > 0) {
      const reason = 'by hiero.mirror.importer.parser.record.sidecar';
      rows.push(['Left out', `${formatCount(unwanted)} sidecar files, ${reason}: ${WITHOUT_SIDECARS}`]);
    }
    if (this.#unhandled.size > 0) rows.push(['Common rows only', namedCounts(this.#unhandled)]);
    if (this.errors > 0) rows.push(['Oddities', `${formatCount(this.errors)} in the records, see the log`]);
    return formatPairs(rows, style);
  }

  /** The same as a record's fields; 64-bit figures are texts. */
  record(seconds: number): object {
    const { blocks, transactions, bytes, errors, last } = this;
    const newest =
      last === undefined
        ? {}
        : { newestBlock: last.blockNumber.toString(), consensusEnd: formatTimestamp(last.consensusEnd) };
    const commonRowsOnly = Object.fromEntries(this.#unhandled);
    return {
      files: blocks,
      bytes,
      transactions,
      types: Object.fromEntries(this.#types),
      commonRowsOnly,
      sidecars: { ...this.sidecars },
      oddities: errors,
      seconds: Number(seconds.toFixed(1)),
      ...newest,
    };
  }
}

const WITHOUT_SIDECARS = 'the contracts that they describe cannot be called, traced or verified';

const nothingImported = (before: Pick<ChainPosition, 'index'> | undefined): string =>
  before === undefined
    ? 'Nothing was imported.\n'
    : `Nothing to import: of what is wanted, the source has nothing after block ${before.index}, the newest in the database.\n`;

const addCounts = (totals: Map<string, number>, counts: ReadonlyMap<string, number>): void => {
  for (const [name, count] of counts) totals.set(name, (totals.get(name) ?? 0) + count);
};

/** `CRYPTOTRANSFER 1,200, CONSENSUSSUBMITMESSAGE 300 and 12 others`. */
const namedCounts = (counts: ReadonlyMap<string, number>): string => {
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const named = sorted.slice(0, NAMED_TYPES).map(([name, count]) => `${name} ${formatCount(count)}`);
  const rest = sorted.slice(NAMED_TYPES).reduce((sum, [, count]) => sum + count, 0);
  return `${named.join(', ')}${rest > 0 ? ` and ${formatCount(rest)} others` : ''}`;
};
