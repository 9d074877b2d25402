import type { RecordFile } from '../../streams/record-file-content.ts';
import type { ChainPosition } from './chain-position.ts';

const FIRST_VERSION_WITH_NUMBER = 6;

/**
 * Number of the block that `file` becomes: stated by the file from v6 on, counted before that. Counting starts after the
 * last known block, or with `first`.
 */
export const blockNumberOf = (file: RecordFile, last: Pick<ChainPosition, 'index'> | undefined, first = 0n): bigint => {
  if (file.blockNumber !== null) return file.blockNumber;
  return last === undefined ? first : last.index + 1n;
};

/**
 * How far all earlier blocks must move when the first v6 file states a number that differs from the counted one: the
 * counted numbers were only relative to where the import began. 0 when nothing moves.
 */
export const earlierBlocksShift = (file: RecordFile, last: ChainPosition | undefined): bigint => {
  if (last === undefined || file.blockNumber === null || last.version >= FIRST_VERSION_WITH_NUMBER) return 0n;
  // Blocks that wrap old record files state their numbers, too.
  if (file.ofBlock !== undefined) return 0n;
  return file.blockNumber - last.index - 1n;
};

/** Files that are missing in front of one. */
export interface Gap {
  readonly file: string;
  /** Numbers of the missing blocks; null where the files on both sides don't state theirs. */
  readonly first: bigint | null;
  readonly last: bigint | null;
}

export const gapBetween = (last: ChainPosition, file: RecordFile): Gap => {
  const before = statedNumberOf(last);
  return before === undefined || file.blockNumber === null
    ? { file: file.name, first: null, last: null }
    : { file: file.name, first: before + 1n, last: file.blockNumber - 1n };
};

/** Number of the last block where its file stated it; counted ones don't tell what is missing behind them. */
export const statedNumberOf = ({ version, index }: ChainPosition): bigint | undefined =>
  version >= FIRST_VERSION_WITH_NUMBER ? index : undefined;
