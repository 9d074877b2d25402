/** How `kagami check-stream` tells what it found. */
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { formatCount, formatElapsed, formatRate } from '../terminal/figures.ts';
import { formatPairs } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';

export interface Fault {
  readonly file: string;
  readonly code: string;
  readonly message: string;
}

/** Consensus times in nanoseconds; null without anything good. */
export interface Span {
  readonly consensusStart: bigint | null;
  readonly consensusEnd: bigint | null;
}

/** Refused files are printed up to this number; the rest is only counted. `--json` has them all. */
const SHOWN_FAULTS = 20;

/** Faults, verdict and figures. */
export const faultsText = (
  style: Style,
  faults: readonly Fault[],
  verdict: string,
  pairs: readonly (readonly [string, string])[],
): string => {
  const lines = faults
    .slice(0, SHOWN_FAULTS)
    .map(({ code, message }) => `${style.red('refused')} ${message} ${style.dim(code)}\n`);
  if (faults.length > SHOWN_FAULTS) {
    lines.push(`and ${formatCount(faults.length - SHOWN_FAULTS)} more (--json lists all)\n`);
  }
  return [...lines, `${verdict}\n`, formatPairs(pairs, style)].join('');
};

export const spanText = ({ consensusStart, consensusEnd }: Span): string =>
  consensusStart === null || consensusEnd === null
    ? '-'
    : `${formatTimestamp(consensusStart)} to ${formatTimestamp(consensusEnd)}`;

export const spanJson = ({ consensusStart, consensusEnd }: Span): Readonly<Record<keyof Span, string | null>> => ({
  consensusStart: consensusStart === null ? null : formatTimestamp(consensusStart),
  consensusEnd: consensusEnd === null ? null : formatTimestamp(consensusEnd),
});

export const tookText = (transactions: number, seconds: number): string =>
  `${formatElapsed(seconds)}, ${formatRate(transactions / Math.max(seconds, 1e-3))} transactions/s`;
