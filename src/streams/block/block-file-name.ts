/** `0000/0000/0000/0000/007.blk.zstd`: 19 digits, a folder for each four of the first sixteen. */
import { MAX_INT64 } from '../../ledger/int64.ts';

const SPLIT = /(?:^|\/)(\d{4})\/(\d{4})\/(\d{4})\/(\d{4})\/(\d{3})\.blk(?:\.gz|\.zstd)?$/;
/** `7.blk.gz`, or 36 digits as consensus nodes write them. */
const FLAT = /(?:^|\/)(\d{1,36})\.blk(?:\.gz|\.zstd)?$/;

const DIGITS = 19;

/** The block number that a path of either layout states; undefined when it isn't the path of a block file. */
export const parseBlockFileName = (path: string): bigint | undefined => {
  const match = SPLIT.exec(path) ?? FLAT.exec(path);
  if (match === null) return undefined;
  const number = BigInt(match.slice(1).join(''));
  return number > MAX_INT64 ? undefined : number;
};

const digitsOf = (number: bigint): string => number.toString().padStart(DIGITS, '0');

/** The path of a block below `<network>/block/`: `0000/0000/0000/0000/007.blk.zstd`. */
export const splitBlockPath = (number: bigint): string => {
  const digits = digitsOf(number);
  const folders = [0, 4, 8, 12].map((start) => digits.slice(start, start + 4));
  return `${folders.join('/')}/${digits.slice(16)}.blk.zstd`;
};

/** The name that a block is known by where it comes without a file: 19 digits and `.blk`. */
export const blockName = (number: bigint): string => `${digitsOf(number)}.blk`;
