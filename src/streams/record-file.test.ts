import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KagamiError } from '../errors/kagami-error.ts';
import { sha384 } from '../ledger/hash.ts';
import { HASH_OBJECT_BYTES } from './hash-object.ts';
import { checkChain, readRecordFile } from './record-file.ts';
import type { RecordFileItem } from './record-file-content.ts';
import { V2_HEADER_BYTES } from './record-file-v1.ts';
import { V5_HEADER_BYTES } from './record-file-v5.ts';
import { checkSignedHashes } from './signed-hashes.ts';
import { itemAt, itemsFrom, recordName, sidecarRecordAt } from './testing/network.fixture.ts';
import { writeRecordFileV2 } from './write/record-file-v2.ts';
import { writeRecordFileV5 } from './write/record-file-v5.ts';
import { writeRecordFileV6 } from './write/record-file-v6.ts';
import { writeSidecarFile } from './write/sidecar-file.ts';

const START = 1_700_000_000_000_000_000n;
const NAME = recordName(START);
const PREVIOUS = Buffer.alloc(48, 7);
const HAPI = { major: 0, minor: 71, patch: 2 };
const items = itemsFrom(START, 3);

const v2 = writeRecordFileV2({ version: 2, previousHash: PREVIOUS, items });
const v5 = writeRecordFileV5({ hapiVersion: HAPI, startRunningHash: PREVIOUS, items });
const v6Content = { hapiVersion: HAPI, startRunningHash: PREVIOUS, blockNumber: 42n, items };
const v6 = writeRecordFileV6({ ...v6Content, compressionLevel: null });

const faultOf = (bytes: Uint8Array, name = NAME): { code: string; details: Readonly<Record<string, unknown>> } => {
  try {
    readRecordFile(name, bytes);
  } catch (error) {
    if (error instanceof KagamiError) return { code: error.code, details: error.details };
    throw error;
  }
  throw new Error('the file was accepted');
};

/** A copy of `bytes` with `change` written at `offset`. */
const patched = (bytes: Uint8Array, offset: number, ...change: number[]): Uint8Array => {
  const copy = Uint8Array.from(bytes);
  copy.set(change, offset);
  return copy;
};

const plain = (list: readonly RecordFileItem[]): unknown =>
  list.map(({ transaction, record }) => [Buffer.from(transaction), Buffer.from(record)]);

describe('record file v1 and v2', () => {
  it('reads what was written, v1 hashed as a whole', () => {
    const { bytes } = writeRecordFileV2({ version: 1, previousHash: PREVIOUS, items });
    const file = readRecordFile(NAME, bytes);
    expect(file).toMatchObject({
      version: 1,
      hapiVersion: null,
      metadataHash: null,
      blockNumber: null,
      size: bytes.length,
    });
    expect(plain(file.items)).toEqual(plain(items));
    expect(file.fileHash).toEqual(sha384(bytes));
    expect(file.hash).toEqual(file.fileHash);
    expect(Buffer.from(file.previousHash)).toEqual(PREVIOUS);
    expect([file.consensusStart, file.consensusEnd]).toEqual([START, START + 2000n]);
  });

  it('hashes the body of v2 before the whole', () => {
    const body = v2.bytes.subarray(V2_HEADER_BYTES);
    const expected = sha384(v2.bytes.subarray(0, V2_HEADER_BYTES), sha384(body));
    expect(readRecordFile(NAME, v2.bytes).fileHash).toEqual(expected);
  });

  it('takes a file without items for one at the time of its name', () => {
    const { bytes } = writeRecordFileV2({ version: 2, previousHash: PREVIOUS, items: [] });
    expect(readRecordFile(NAME, bytes)).toMatchObject({ items: [], consensusStart: START, consensusEnd: START });
  });

  it('states first and last item even when they are out of order', () => {
    const shuffled = [itemAt(START), itemAt(START + 9n), itemAt(START + 5n)];
    const { bytes } = writeRecordFileV2({ version: 2, previousHash: PREVIOUS, items: shuffled });
    const file = readRecordFile(NAME, bytes);
    expect(file).toMatchObject({ consensusStart: START, consensusEnd: START + 5n, outOfOrder: true });
  });

  it.each([
    ['a wrong marker before the previous hash', patched(v2.bytes, 8, 3), 'STREAM_MALFORMED', 8],
    ['a wrong record marker', patched(v2.bytes, V2_HEADER_BYTES, 9), 'STREAM_MALFORMED', V2_HEADER_BYTES],
    ['a negative length', patched(v2.bytes, V2_HEADER_BYTES + 1, 0xff), 'STREAM_OVERSIZED', V2_HEADER_BYTES + 1],
    [
      'a length above 64 KiB',
      patched(v2.bytes, V2_HEADER_BYTES + 1, 0, 1, 0, 1),
      'STREAM_OVERSIZED',
      V2_HEADER_BYTES + 1,
    ],
    ['a cut header', v2.bytes.subarray(0, 30), 'STREAM_TRUNCATED', 9],
    ['an empty file', new Uint8Array(), 'STREAM_TRUNCATED', 0],
    ['three bytes', v2.bytes.subarray(0, 3), 'STREAM_TRUNCATED', 0],
    ['an unknown version', patched(v2.bytes, 3, 4), 'STREAM_UNKNOWN_VERSION', 0],
    ['version 7', patched(v2.bytes, 3, 7), 'STREAM_UNKNOWN_VERSION', 0],
  ])('refuses %s', (_what, bytes, code, offset) => {
    expect(faultOf(bytes)).toMatchObject({ code, details: { file: NAME, offset, rule: expect.any(String) } });
  });
});

describe('record file v5', () => {
  it('reads what was written with both hashes and the running hash', () => {
    const file = readRecordFile(NAME, v5.bytes);
    expect(file).toMatchObject({ version: 5, hapiVersion: HAPI, blockNumber: null });
    expect(plain(file.items)).toEqual(plain(items));
    expect(file.fileHash).toEqual(sha384(v5.bytes));
    expect(file.metadataHash).toEqual(v5.metadataHash);
    expect(Buffer.from(file.hash)).toEqual(Buffer.from(v5.endRunningHash));
  });

  const end = v5.bytes.length - HASH_OBJECT_BYTES;
  it.each([
    ['a changed end hash', patched(v5.bytes, v5.bytes.length - 1, 1), 'STREAM_RUNNING_HASH_MISMATCH'],
    [
      'a changed start hash',
      patched(v5.bytes, V5_HEADER_BYTES + HASH_OBJECT_BYTES - 1, 1),
      'STREAM_RUNNING_HASH_MISMATCH',
    ],
    ['a changed item', patched(v5.bytes, end - 1, 0xee), 'STREAM_RUNNING_HASH_MISMATCH'],
    ['a byte too many', Buffer.concat([v5.bytes, Buffer.of(0)]), 'STREAM_TRAILING_BYTES'],
    ['a byte too few', v5.bytes.subarray(0, v5.bytes.length - 1), 'STREAM_TRUNCATED'],
    ['another digest type', patched(v5.bytes, end + 12, 0), 'STREAM_MALFORMED'],
    ['another object stream version', patched(v5.bytes, 19, 2), 'STREAM_MALFORMED'],
  ])('refuses %s', (_what, bytes, code) => {
    expect(faultOf(bytes)).toMatchObject({ code, details: { file: NAME, rule: expect.any(String) } });
  });

  it('refuses a file without items', () => {
    const { bytes } = writeRecordFileV5({ hapiVersion: HAPI, startRunningHash: PREVIOUS, items: [] });
    expect(faultOf(bytes).code).toBe('STREAM_MALFORMED');
  });
});

describe('record file v6', () => {
  it('reads what was written, plain and compressed, whatever the name says', () => {
    const compressed = writeRecordFileV6(v6Content);
    for (const [bytes, compression] of [
      [v6.bytes, 'none'],
      [compressed.bytes, 'gzip'],
    ] as const) {
      for (const name of [NAME, `${NAME}.gz`]) {
        const file = readRecordFile(name, bytes);
        expect(file).toMatchObject({
          version: 6,
          hapiVersion: HAPI,
          blockNumber: 42n,
          compression,
          size: bytes.length,
        });
        expect(plain(file.items)).toEqual(plain(items));
        expect(file.fileHash).toEqual(sha384(v6.bytes));
        expect(file.metadataHash).toEqual(v6.metadataHash);
        expect(Buffer.from(file.hash)).toEqual(Buffer.from(v6.endRunningHash));
      }
    }
  });

  it('reads sidecar metadata and odd block numbers', () => {
    const sidecar = writeSidecarFile({ id: 1, types: [1, 2, 3], records: [sidecarRecordAt(START)] });
    const { bytes } = writeRecordFileV6({
      ...v6Content,
      blockNumber: -9223372036854775797n,
      sidecars: [sidecar.metadata],
    });
    const file = readRecordFile(NAME, bytes);
    expect(file.blockNumber).toBe(-9223372036854775797n);
    expect(file.sidecars.map(({ id, types, hash }) => ({ id, types, hash: Buffer.from(hash) }))).toEqual([
      sidecar.metadata,
    ]);
  });

  it('takes an empty file for one at the time of its name', () => {
    const { bytes, endRunningHash } = writeRecordFileV6({ ...v6Content, items: [] });
    expect(Buffer.from(endRunningHash)).toEqual(PREVIOUS);
    expect(readRecordFile(NAME, bytes)).toMatchObject({ items: [], consensusStart: START, consensusEnd: START });
  });

  it('states least and greatest time when items are out of order', () => {
    const shuffled = [itemAt(START + 9n), itemAt(START), itemAt(START + 5n)];
    const { bytes } = writeRecordFileV6({ ...v6Content, items: shuffled });
    expect(readRecordFile(NAME, bytes)).toMatchObject({
      consensusStart: START,
      consensusEnd: START + 9n,
      outOfOrder: true,
    });
  });

  it('refuses content beyond the limit, compressed (a bomb of 1000:1) or not', () => {
    const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024), { level: 6 });
    expect(bomb.length).toBeLessThan(20_000);
    expect(() => readRecordFile(NAME, bomb, { maxContentBytes: 1 << 20 })).toThrowError(
      expect.objectContaining({ code: 'STREAM_OVERSIZED' }),
    );
    expect(() => readRecordFile(NAME, v6.bytes, { maxContentBytes: 100 })).toThrowError(
      expect.objectContaining({ code: 'STREAM_OVERSIZED' }),
    );
  });

  const gz = gzipSync(v6.bytes);
  it.each([
    ['a missing end', v6.bytes.subarray(0, v6.bytes.length - 70), 'STREAM_TRUNCATED'],
    ['a cut compressed file', gz.subarray(0, gz.length - 20), 'STREAM_TRUNCATED'],
    ['damaged compressed data', patched(gz, 30, 0xff, 0xff, 0xff, 0xff), 'STREAM_BAD_COMPRESSION'],
    ['zeros after the compressed data', Buffer.concat([gz, Buffer.alloc(5)]), 'STREAM_TRAILING_BYTES'],
    ['text after the compressed data', Buffer.concat([gz, Buffer.from('tail')]), 'STREAM_BAD_COMPRESSION'],
    ['zstd', Buffer.from('28b52ffd0000', 'hex'), 'STREAM_BAD_COMPRESSION'],
    ['a second start hash', Buffer.concat([v6.bytes, Buffer.from('1200', 'hex')]), 'STREAM_MALFORMED'],
    ['an item without record', Buffer.concat([v6.bytes, Buffer.from('1a020a00', 'hex')]), 'STREAM_MALFORMED'],
    ['an unknown field in an item', Buffer.concat([v6.bytes, Buffer.from('1a0418010a00', 'hex')]), 'STREAM_MALFORMED'],
  ])('refuses %s', (_what, bytes, code) => {
    expect(faultOf(bytes)).toMatchObject({ code, details: { file: NAME, rule: expect.any(String) } });
  });

  it('refuses a changed start hash, version or block number through its signed hashes', () => {
    const renumbered = writeRecordFileV6({ ...v6Content, blockNumber: 43n });
    const file = readRecordFile(NAME, renumbered.bytes);
    expect(() => checkSignedHashes(file, v6)).toThrowError(
      expect.objectContaining({ code: 'STREAM_FILE_HASH_MISMATCH' }),
    );
    expect(() => checkSignedHashes(file, { ...v6, fileHash: file.fileHash })).toThrowError(
      expect.objectContaining({ code: 'STREAM_METADATA_HASH_MISMATCH' }),
    );
    expect(() => checkSignedHashes(file, { fileHash: file.fileHash, metadataHash: null })).toThrowError(
      expect.objectContaining({ code: 'STREAM_METADATA_HASH_MISMATCH' }),
    );
    checkSignedHashes(readRecordFile(NAME, v6.bytes), v6);
  });
});

describe('every version', () => {
  it('writes and reads back any items', () => {
    const message = fc.uint8Array({ maxLength: 300 });
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 8 }), (transactions) => {
        const list = transactions.map((transaction, i) => ({ transaction, record: itemAt(START + BigInt(i)).record }));
        const files = [
          writeRecordFileV2({ version: 1, previousHash: PREVIOUS, items: list }),
          writeRecordFileV2({ version: 2, previousHash: PREVIOUS, items: list }),
          writeRecordFileV5({ hapiVersion: HAPI, startRunningHash: PREVIOUS, items: list }),
          writeRecordFileV6({ ...v6Content, items: list }),
        ];
        for (const { bytes, fileHash } of files) {
          const file = readRecordFile(NAME, bytes);
          expect(plain(file.items)).toEqual(plain(list));
          expect(file.fileHash).toEqual(fileHash);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('refuses names of other things and of other times', () => {
    for (const name of ['x.rcd', NAME.replace('.rcd', '.rcd_sig'), NAME.replace('.rcd', '_01.rcd'), `${NAME}.zip`]) {
      expect(faultOf(v6.bytes, name).code).toBe('STREAM_WRONG_NAME');
    }
    expect(faultOf(v6.bytes, recordName(START + 2_000_000_000n)).code).toBe('STREAM_WRONG_NAME');
    expect(faultOf(v2.bytes, recordName(START - 2_000_000_000n)).code).toBe('STREAM_WRONG_NAME');
    expect(readRecordFile(recordName(START + 3n), v6.bytes).consensusStart).toBe(START);

    const strange = [itemAt(START * 5n), ...items];
    const { bytes } = writeRecordFileV2({ version: 2, previousHash: PREVIOUS, items: strange });
    expect(readRecordFile(NAME, bytes).consensusStart).toBe(START * 5n);
  });

  it('chains v2 to v5 to v6 by one rule', () => {
    const first = readRecordFile(NAME, v2.bytes);
    const second = readRecordFile(
      NAME,
      writeRecordFileV5({ hapiVersion: HAPI, startRunningHash: first.hash, items }).bytes,
    );
    const third = readRecordFile(NAME, writeRecordFileV6({ ...v6Content, startRunningHash: second.hash }).bytes);
    checkChain(second, first.hash);
    checkChain(third, second.hash);
    expect(() => checkChain(third, first.hash)).toThrowError(expect.objectContaining({ code: 'STREAM_CHAIN_BROKEN' }));
  });
});
