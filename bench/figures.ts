import { cpus, totalmem } from 'node:os';

/** Prints rows under headings, columns aligned; numbers are written by the caller. */
export const printTable = (headings: readonly string[], rows: readonly (readonly string[])[]): void => {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  console.log(line(headings));
  console.log(`|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  for (const row of rows) console.log(line(row));
};

export const describeMachine = (server: string): string =>
  `${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, ` +
  `Node ${process.versions.node}, PostgreSQL ${server}`;

/** Milliseconds since the epoch, with fractions: `Date.now()` has none. */
export const epochTime = (): number => performance.timeOrigin + performance.now();

/** The value that a part (0 to 1) of the values does not exceed. */
export const quantile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
};

export const seconds = (milliseconds: number): string => (milliseconds / 1_000).toFixed(2);
export const count = (value: number): string => Math.round(value).toLocaleString('en-US');

/** `--name value` among the arguments, or the default. */
export const numberOption = (args: readonly string[], name: string, fallback: number): number => {
  const at = args.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(args[at + 1]);
};

export const textOption = (args: readonly string[], name: string): string | undefined => {
  const at = args.indexOf(`--${name}`);
  return at < 0 ? undefined : args[at + 1];
};
