import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BucketLocation } from '../source-location.ts';
import { type S3TestServer, startS3Server, testLocation, testStore } from '../testing/s3-server.fixture.ts';
import { BlockBucket } from './block-bucket.ts';
import { flatName, nestedPath } from './block-file-name.ts';
import { BlockFiles } from './block-files.ts';

const buckets = ['nested', 'flat', 'padded', 'prefixed', 'empty', 'long'] as const;

let server: S3TestServer;
const opened: BlockBucket[] = [];
beforeAll(async () => {
  server = await startS3Server(buckets);
  const text = (content: string): Uint8Array => Buffer.from(content);
  const numbers = [3n, 4n, 12n];
  await server.put(
    [
      ...numbers.map((number) => ({
        key: `testnet/block/${nestedPath(number)}.blk.zstd`,
        bytes: text(`block ${number}`),
      })),
      { key: 'mainnet/block/0000/0000/0000/0000/001.blk.zstd', bytes: text('other') },
    ],
    'nested',
  );
  const flat = (digits: number) =>
    numbers.map((number) => ({
      key: flatName(number, { digits, extension: '.blk.gz' }),
      bytes: text(`block ${number}`),
    }));
  await server.put(flat(1), 'flat');
  await server.put(flat(19), 'padded');
  await server.put(
    numbers.map((number) => ({
      key: `mine/testnet/block/${nestedPath(number)}.blk.gz`,
      bytes: text(`block ${number}`),
    })),
    'prefixed',
  );
  await server.put(
    Array.from({ length: 60 }, (_, i) => ({
      key: `testnet/block/${nestedPath(BigInt(i))}.blk.zstd`,
      bytes: text(`${i}`),
    })),
    'long',
  );
});
afterAll(async () => {
  for (const bucket of opened) bucket.close();
  await server.stop();
});

const open = (bucket: (typeof buckets)[number], more: Partial<BucketLocation> = {}): BlockBucket => {
  const store = new BlockBucket(testLocation([testStore(server.endpoint)], { bucket, ...more }));
  opened.push(store);
  return store;
};

describe('a bucket of block files', () => {
  it.each([
    ['nested', {}],
    ['flat', {}],
    ['padded', {}],
    ['prefixed', { prefix: 'mine' }],
  ] as const)('is read in its layout: %s', async (bucket, more) => {
    const store = open(bucket, more);
    expect(await store.firstFrom(0n)).toBe(3n);
    expect(await store.firstFrom(4n)).toBe(4n);
    expect(await store.firstFrom(5n)).toBe(12n);
    expect(await store.firstFrom(13n)).toBeUndefined();
    const file = await store.read(4n);
    expect(Buffer.from(file?.bytes ?? []).toString()).toBe('block 4');
    expect(file?.name).toMatch(/4\.blk/);
    expect(await store.read(5n)).toBeUndefined();
  });

  it('may be empty', async () => {
    const store = open('empty');
    expect(await store.firstFrom(0n)).toBeUndefined();
    expect(await store.read(0n)).toBeUndefined();
  });

  it('is read many files at a time, in order', async () => {
    const files = new BlockFiles({
      store: open('long'),
      readAhead: 25,
      readAheadBytes: 10_000,
      pollMs: 10,
      maxPollMs: 10,
      holePatienceMs: 100,
    });
    const numbers: string[] = [];
    const request = { from: 0n, to: undefined, signal: new AbortController().signal, follow: false, acceptGaps: false };
    for await (const { bytes } of files.blocks(request)) numbers.push(Buffer.from(bytes).toString());
    expect(numbers).toEqual(Array.from({ length: 60 }, (_, i) => `${i}`));
  });

  it('is named when it is not there', async () => {
    const store = open('nested', { bucket: 'nowhere' });
    await expect(store.read(0n)).rejects.toMatchObject({ code: 'SOURCE_BUCKET_MISSING' });
  });
});
