/** Sizes of data as operators write them: `512MB`, `10KB`, or a bare number of bytes. A kilobyte has 1,024 bytes. */

const unitBytes = { B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30, TB: 2 ** 40 } as const;
type Unit = keyof typeof unitBytes;

const SIZE = /^(\d+)\s*(B|KB|MB|GB|TB)?$/i;

/** Bytes of a size text, or undefined when it is none. */
export const parseDataSize = (text: string): number | undefined => {
  const match = SIZE.exec(text.trim());
  if (match === null) return undefined;
  const bytes = Number(match[1]) * unitBytes[(match[2] ?? 'B').toUpperCase() as Unit];
  return Number.isSafeInteger(bytes) ? bytes : undefined;
};

/** Shortest exact text with one unit, for example `512MB`. */
export const formatDataSize = (bytes: number): string => {
  for (const unit of ['TB', 'GB', 'MB', 'KB'] as const) {
    if (bytes !== 0 && bytes % unitBytes[unit] === 0) return `${bytes / unitBytes[unit]}${unit}`;
  }
  return `${bytes}B`;
};
