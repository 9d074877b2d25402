import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { toHex } from '../ledger/bytes.ts';
import { readRecordFile } from '../streams/record-file.ts';
import type { RecordFile } from '../streams/record-file-content.ts';
import { itemsFrom, recordName } from '../streams/testing/network.fixture.ts';
import { writeRecordFileV6 } from '../streams/write/record-file-v6.ts';
import { RecordFileReader } from './record-file-reader.ts';
import { FIRST_FILE } from './testing/stream-folder.fixture.ts';

const reader = new RecordFileReader();
afterAll(() => reader.close());

const fileOf = (items: number, after = 0n): { name: string; bytes: Uint8Array } => {
  const start = FIRST_FILE + after;
  const { bytes } = writeRecordFileV6({
    hapiVersion: { major: 0, minor: 64, patch: 0 },
    startRunningHash: Buffer.alloc(48, 3),
    blockNumber: 7n,
    items: itemsFrom(start, items),
    sidecars: [],
  });
  return { name: `${recordName(start, '')}.rcd.gz`, bytes };
};

/** Large ones take the way over the thread; the bound is 128 KiB. */
const large = fileOf(14_000);
const small = fileOf(10);

/** The reader takes what it is given. */
const copyOf = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

/** Bytes as text, whatever class holds them, and a digest in place of the many items. */
const plain = ({ items, ...file }: RecordFile): unknown => {
  const digest = createHash('sha256');
  for (const { transaction, record } of items) digest.update(transaction).update(record);
  const hex = (value: unknown): unknown => (value instanceof Uint8Array ? toHex(value) : value);
  return {
    ...Object.fromEntries(Object.entries(file).map(([name, value]) => [name, hex(value)])),
    items: digest.digest('hex'),
  };
};

describe('the reader of record files', () => {
  it('gives large and small files as they are read in place', async () => {
    expect(large.bytes.length).toBeGreaterThan(128 * 1024);
    const files = await Promise.all([large, small].map(({ name, bytes }) => reader.read(name, copyOf(bytes))));
    expect(files[0]?.items.length).toBe(14_000);
    expect(plain(files[0] as RecordFile)).toEqual(plain(readRecordFile(large.name, large.bytes)));
    expect(plain(files[1] as RecordFile)).toEqual(plain(readRecordFile(small.name, small.bytes)));
  });

  it('takes the memory of a large file over to its thread, unless something else lies in it', async () => {
    const alone = copyOf(large.bytes);
    const among = new Uint8Array(large.bytes.length + 8).subarray(8);
    among.set(large.bytes);
    const [first, second] = await Promise.all([alone, among].map((bytes) => reader.read(large.name, bytes)));
    expect(plain(second as RecordFile)).toEqual(plain(first as RecordFile));
    expect([alone.length, among.length]).toEqual([0, large.bytes.length]);
  });

  it('reads a large file that is not compressed', async () => {
    const bytes = new Uint8Array(gunzipSync(large.bytes));
    const expected = plain(readRecordFile(large.name, bytes));
    expect(plain(await reader.read(large.name, bytes))).toEqual(expected);
  });

  it('refuses what reading in place refuses, and goes on', async () => {
    const damaged = new Uint8Array(large.bytes);
    damaged[damaged.length >> 1] = (damaged[damaged.length >> 1] as number) ^ 1;
    let expected: unknown;
    try {
      readRecordFile(large.name, damaged);
    } catch (error) {
      expected = error;
    }
    const [refused, read] = await Promise.allSettled([
      reader.read(large.name, damaged),
      reader.read(large.name, copyOf(large.bytes)),
    ]);
    const { code, message, details, hint, retryable } = expected as Record<string, unknown>;
    expect(refused).toMatchObject({ status: 'rejected', reason: { code, message, details, hint, retryable } });
    expect(read.status).toBe('fulfilled');
    await expect(reader.read(large.name, copyOf(large.bytes), { maxContentBytes: 1_000 })).rejects.toMatchObject({
      code: 'STREAM_OVERSIZED',
    });
  });

  it('refuses what is under way when it is closed, and can be used again', async () => {
    const other = new RecordFileReader();
    const reading = expect(other.read(large.name, copyOf(large.bytes))).rejects.toThrow('has ended');
    await other.close();
    await reading;
    expect((await other.read(large.name, copyOf(large.bytes))).items.length).toBe(14_000);
    await other.close();
  });
});
