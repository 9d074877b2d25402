import type { RecordFile } from '../../streams/record-file.ts';
import type { ChainPosition } from './chain-position.ts';

const FIRST_VERSION_WITH_NUMBER = 6;

/**
 * Number of the block that `file` becomes: stated by the file from v6 on, counted before that. Counting starts after the
 * last known block, or at 0.
 */
export const blockNumberOf = (file: RecordFile, last: ChainPosition | undefined): bigint => {
  if (file.blockNumber !== null) return file.blockNumber;
  return last === undefined ? 0n : last.index + 1n;
};

/**
 * How far all earlier blocks must move when the first v6 file states a number that differs from the counted one: the
 * counted numbers were only relative to where the import began. 0 when nothing moves.
 */
export const earlierBlocksShift = (file: RecordFile, last: ChainPosition | undefined): bigint => {
  if (last === undefined || file.blockNumber === null || last.version >= FIRST_VERSION_WITH_NUMBER) return 0n;
  return file.blockNumber - last.index - 1n;
};
