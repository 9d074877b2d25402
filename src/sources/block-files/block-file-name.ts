/**
 * How block files are named: `0000/0000/0000/0000/007.blk.zstd` (19 digits, a slash after each four) in buckets,
 * `7.blk.gz` or with leading zeros where consensus and block nodes put them into one folder.
 */

/** In the order in which they are looked for. */
export const BLOCK_FILE_EXTENSIONS: readonly string[] = ['.blk.zstd', '.blk.gz', '.blk', '.blk.zst'];

const NUMBER_DIGITS = 19;
const GROUP_DIGITS = 4;
const FLAT_NAME = /^(\d{1,36})(\.blk(?:\.zstd|\.zst|\.gz)?)$/;
const LAST_GROUP = /^(\d{3})(\.blk(?:\.zstd|\.zst|\.gz)?)$/;

/** Folders above a file. */
export const NESTED_LEVELS = 4;

/** How the files of a folder write their numbers. */
export interface FlatPattern {
  /** Digits with leading zeros; 1 for none. */
  readonly digits: number;
  readonly extension: string;
}

/** The folders of a block's file, and the digits of its name: [`0000`, `0000`, `0000`, `0000`, `007`]. */
export const nestedParts = (number: bigint): readonly string[] => {
  const digits = number.toString().padStart(NUMBER_DIGITS, '0');
  const parts: string[] = [];
  for (let at = 0; at < digits.length; at += GROUP_DIGITS) parts.push(digits.slice(at, at + GROUP_DIGITS));
  return parts;
};

/** Path without its extension. */
export const nestedPath = (number: bigint): string => nestedParts(number).join('/');

export const isNestedFolder = (name: string): boolean => /^\d{4}$/.test(name);

/** The digits of a file's name in the deepest folder; undefined for others. */
export const parseNestedName = (name: string): string | undefined => LAST_GROUP.exec(name)?.[1];

export const flatName = (number: bigint, { digits, extension }: FlatPattern): string =>
  number.toString().padStart(digits, '0') + extension;

export const parseFlatName = (name: string): { readonly number: bigint; readonly pattern: FlatPattern } | undefined => {
  const match = FLAT_NAME.exec(name);
  if (match === null) return undefined;
  const [, digits = '', extension = ''] = match;
  const number = BigInt(digits);
  return { number, pattern: { digits: digits.length === number.toString().length ? 1 : digits.length, extension } };
};
