import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KagamiError } from '../../errors/kagami-error.ts';
import { flatName, nestedPath, parseFlatName } from './block-file-name.ts';
import { BlockFiles, type FileBlockRequest } from './block-files.ts';
import { BlockFolder, holdsBlocks } from './block-folder.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'kagami-block-files-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const put = async (path: string, content = path): Promise<void> => {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
};

const folder = (maxFileBytes = 1_000): BlockFolder => new BlockFolder(root, { network: 'testnet', maxFileBytes });
const never = new AbortController().signal;

const filesOf = (store = folder()): BlockFiles =>
  new BlockFiles({ store, readAhead: 8, readAheadBytes: 10_000, pollMs: 5, maxPollMs: 10, holePatienceMs: 50 });

const numbersOf = async (request: Partial<FileBlockRequest> & { readonly from: bigint }): Promise<number[]> => {
  const numbers: number[] = [];
  const all = { signal: never, follow: false, acceptGaps: false, ...request };
  for await (const { number } of filesOf().blocks(all)) numbers.push(Number(number));
  return numbers;
};

describe('names of block files', () => {
  it('have 19 digits in folders of four', () => {
    expect(nestedPath(7n)).toBe('0000/0000/0000/0000/007');
    expect(nestedPath(1_234_567_890_123_456_789n)).toBe('1234/5678/9012/3456/789');
  });

  it('tell how numbers are written', () => {
    for (const name of [
      '7.blk',
      '391.blk.gz',
      '000000000000000000000000000000000012.blk.gz',
      '0000000000000000007.blk.zstd',
    ]) {
      const parsed = parseFlatName(name);
      expect(parsed && flatName(parsed.number, parsed.pattern)).toBe(name);
    }
    expect(parseFlatName('2022-07-13T08_46_11.304284003Z.rcd.gz')).toBeUndefined();
    expect(parseFlatName('7.mf')).toBeUndefined();
  });
});

describe('a folder of block files', () => {
  it.each([
    ['0000/0000/0000/0000/', '.blk.zstd', 3],
    ['block/0000/0000/0000/0000/', '.blk.gz', 3],
    ['testnet/block/0000/0000/0000/0000/', '.blk.zstd', 3],
    ['testnet-2024-02/block/0000/0000/0000/0000/', '.blk', 3],
    ['', '.blk.gz', 1],
    ['block/', '.blk', 19],
    ['blockStreams/block-0.0.3/', '.blk.gz', 36],
  ])('is read in the layout %s*%s', async (path, extension, digits) => {
    for (const number of [3n, 4n, 12n]) await put(path + flatName(number, { digits, extension }), `block ${number}`);
    const store = folder();
    expect(await store.firstFrom(0n)).toBe(3n);
    expect(await store.firstFrom(5n)).toBe(12n);
    expect(await store.firstFrom(13n)).toBeUndefined();
    expect(Buffer.from((await store.read(4n))?.bytes ?? []).toString()).toBe('block 4');
    expect((await store.read(12n))?.name).toMatch(/12\.blk/);
    expect(await store.read(5n)).toBeUndefined();
  });

  it('is the newest of a network that began anew', async () => {
    await put('testnet-2023-01/block/0000/0000/0000/0000/001.blk', 'old');
    await put('testnet-2024-02/block/0000/0000/0000/0000/001.blk', 'new');
    await put('mainnet/block/0000/0000/0000/0000/001.blk', 'other');
    expect(Buffer.from((await folder().read(1n))?.bytes ?? []).toString()).toBe('new');
  });

  it('is told from one without blocks', async () => {
    await put('record0.0.3/2022-07-13T08_46_11.304284003Z.rcd.gz');
    expect(await holdsBlocks(root, 'testnet')).toBe(false);
    await put('0.blk.gz');
    expect(await holdsBlocks(root, 'testnet')).toBe(true);
  });

  it('may be empty at first, and change how it names its files', async () => {
    const store = folder();
    expect(await store.read(0n)).toBeUndefined();
    await put('0.blk');
    expect((await store.read(0n))?.name).toBe('0.blk');
    await put('0001.blk.gz');
    await expect.poll(async () => (await store.read(1n))?.name).toBe('0001.blk.gz');
  });

  it('refuses what is too large', async () => {
    await put('0.blk', 'x'.repeat(1_001));
    await expect(folder().read(0n)).rejects.toMatchObject({ code: 'STREAM_OVERSIZED' } satisfies Partial<KagamiError>);
  });

  it('names a folder that is not there', async () => {
    const store = new BlockFolder(join(root, 'nowhere'), { network: 'testnet', maxFileBytes: 1 });
    await expect(store.read(0n)).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
  });
});

describe('block files one after the other', () => {
  const putAll = async (...numbers: number[]): Promise<void> => {
    for (const number of numbers) await put(`${number}.blk`);
  };

  it('end with the last one, or with that which is wanted', async () => {
    await putAll(...Array.from({ length: 30 }, (_, i) => i));
    expect(await numbersOf({ from: 0n })).toEqual(Array.from({ length: 30 }, (_, i) => i));
    expect(await numbersOf({ from: 4n, to: 6n })).toEqual([4, 5, 6]);
  });

  it('are refused with the numbers that are missing, unless gaps are accepted', async () => {
    await putAll(0, 1, 4, 5);
    await expect(numbersOf({ from: 0n })).rejects.toMatchObject({
      code: 'SOURCE_BLOCK_MISSING',
      details: { missing: { first: 2n, last: 3n } },
    });
    expect(await numbersOf({ from: 0n, acceptGaps: true })).toEqual([0, 1, 4, 5]);
  });

  it('are waited for while following, also those that are missing before others, for a while', async () => {
    await putAll(0);
    const stop = new AbortController();
    const taken: number[] = [];
    const following = (async () => {
      for await (const { number } of filesOf().blocks({
        from: 0n,
        signal: stop.signal,
        follow: true,
        acceptGaps: false,
      })) {
        taken.push(Number(number));
        if (number === 2n) await putAll(4);
      }
    })();
    await expect.poll(() => taken).toEqual([0]);
    await putAll(1, 2);
    await expect(following).rejects.toMatchObject({ code: 'SOURCE_BLOCK_MISSING', details: { block: 3n } });
    expect(taken).toEqual([0, 1, 2]);
    stop.abort();
  });

  it('end with their signal', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 20);
    expect(await numbersOf({ from: 0n, signal: stop.signal, follow: true })).toEqual([]);
  });
});
