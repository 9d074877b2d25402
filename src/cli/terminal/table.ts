/** Small tables of names and values, such as the summary at the end of an import. */
import type { Style } from './terminal.ts';

/** Two columns, the first as wide as its longest entry. */
export const formatPairs = (pairs: readonly (readonly [string, string])[], style: Style): string => {
  const width = Math.max(...pairs.map(([name]) => name.length), 0);
  return pairs.map(([name, value]) => `  ${style.dim(name.padEnd(width))}  ${value}\n`).join('');
};
