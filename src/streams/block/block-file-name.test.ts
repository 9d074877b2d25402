import { describe, expect, it } from 'vitest';
import { blockName, parseBlockFileName, splitBlockPath } from './block-file-name.ts';

describe('names of block files', () => {
  it.each([
    ['mainnet/block/0000/0000/0012/3456/789.blk.zstd', 123456789n],
    ['0000/0000/0000/0000/007.blk.gz', 7n],
    ['7.blk.gz', 7n],
    ['blocks/000000000000000000000000000000000391.blk.gz', 391n],
    ['0000000000000000042.blk', 42n],
    ['9223372036854775807.blk', 9223372036854775807n],
    ['9223372036854775808.blk', undefined],
    ['v5-block.blk.gz', undefined],
    ['7.blk.bz2', undefined],
    ['7.rcd.gz', undefined],
  ])('reads %s', (path, number) => {
    expect(parseBlockFileName(path)).toBe(number);
  });

  it('writes what it reads', () => {
    expect(splitBlockPath(123456789n)).toBe('0000/0000/0012/3456/789.blk.zstd');
    expect(blockName(123456789n)).toBe('0000000000123456789.blk');
    for (const number of [0n, 7n, 1234n, 9223372036854775807n]) {
      expect(parseBlockFileName(splitBlockPath(number))).toBe(number);
      expect(parseBlockFileName(blockName(number))).toBe(number);
    }
  });
});
