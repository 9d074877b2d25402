import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeEntityId, formatEntityId } from '../../ledger/entity-id.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { keyObjectJson } from '../json.ts';
import { putBase64, putFlag, putHex, putName, putPlain, putPlainFlag, putQuoted } from './cells.ts';
import { entityId, nameOfCode, timestamp } from './field.ts';
import { JsonBytes } from './json-bytes.ts';
import { putKey } from './key-cell.ts';
import { fieldJson, writtenBy } from './testing/cells.fixture.ts';

const hex = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString('hex')}`;

describe('cells', () => {
  it('are written as they are, in quotes or not; null for none', () => {
    expect(['', '-9223372036854775808', '"ä€𝄞"'].map((cell) => writtenBy(putPlain, cell))).toEqual([
      'null',
      '-9223372036854775808',
      '"ä€𝄞"',
    ]);
    expect(['', 'a'.repeat(100)].map((cell) => writtenBy(putQuoted, cell))).toEqual(['null', `"${'a'.repeat(100)}"`]);
    expect(['', 't', 'f'].map((cell) => writtenBy(putFlag, cell))).toEqual(['null', 'true', 'false']);
    expect(['', 't', 'f'].map((cell) => writtenBy(putPlainFlag, cell))).toEqual(['false', 'true', 'false']);
  });

  it('of ids of any shard and realm, 0 as null', () => {
    const id = fc.record({
      shard: fc.bigInt({ min: 0n, max: 1023n }),
      realm: fc.bigInt({ min: 0n, max: 65_535n }),
      num: fc.bigInt({ min: 0n, max: (1n << 38n) - 1n }),
    });
    const plain = fc.record({
      shard: fc.constant(0n),
      realm: fc.constant(0n),
      num: fc.bigInt({ min: 1n, max: (1n << 38n) - 1n }),
    });
    fc.assert(
      fc.property(fc.oneof(id, plain), ({ shard, realm, num }) => {
        const encoded = encodeEntityId(shard, realm, num).toString();
        const shown = encoded === '0' ? 'null' : `"${formatEntityId(encoded)}"`;
        expect(fieldJson(entityId('p.id'), encoded)).toBe(shown);
      }),
    );
    expect(fieldJson(entityId('p.id'), '')).toBe('null');
  });

  it('of times from before the epoch to the last one there is', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
          fc.bigInt({ min: -(10n ** 10n), max: 10n ** 10n }),
        ),
        (nanos) => {
          expect(fieldJson(timestamp('p.at'), nanos.toString())).toBe(`"${formatTimestamp(nanos.toString())}"`);
        },
      ),
    );
    expect(fieldJson(timestamp('p.at'), '')).toBe('null');
  });

  it('of bytes in base64', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(writtenBy(putBase64, hex(bytes))).toBe(`"${Buffer.from(bytes).toString('base64')}"`);
      }),
    );
    expect(writtenBy(putBase64, '')).toBe('null');
  });

  it('of bytes in hex, with what stands for null and for none', () => {
    const put = putHex('null', '"none"');
    expect(['', '\\x', '\\x00ff'].map((cell) => writtenBy(put, cell))).toEqual(['null', '"none"', '"0x00ff"']);
    expect(writtenBy(putHex('"0x"'), '\\x')).toBe('"0x"');
  });

  it('of keys, plain ones and others alike', () => {
    const sized = (head: string, length: number) =>
      fc
        .uint8Array({ minLength: length, maxLength: length })
        .map((bytes) => Buffer.concat([Buffer.from(head, 'hex'), bytes]));
    const key = fc.oneof(
      sized('1220', 32),
      sized('3a21', 33),
      sized('1220', 31),
      fc.constant(Buffer.from('3200', 'hex')),
    );
    fc.assert(
      fc.property(key, (bytes) => {
        expect(writtenBy(putKey, hex(bytes))).toBe(keyObjectJson(bytes));
      }),
    );
    expect(writtenBy(putKey, '')).toBe('null');
  });

  it('of numbers that have names', () => {
    const put = putName((code) => `CODE_${code}`);
    expect(['7', '7', '32767', '-1', '1234567'].map((cell) => writtenBy(put, cell))).toEqual([
      '"CODE_7"',
      '"CODE_7"',
      '"CODE_32767"',
      '"CODE_-1"',
      '"CODE_1234567"',
    ]);
    expect(nameOfCode('p.type', { type: 'string' }, String).schema).toEqual({ type: 'string' });
  });
});

describe('JsonBytes', () => {
  it('grows as far as it has to, and keeps no more than a third again', () => {
    const out = new JsonBytes(1);
    const text = '"ä€𝄞"'.repeat(1_000);
    out.list([1, 2], (to) => to.text(text));
    expect(out.toString()).toBe(`${text},${text}`);
    const bytes = out.finish();
    expect(bytes.toString()).toBe(`${text},${text}`);
    expect(bytes.buffer.byteLength).toBeLessThanOrEqual((bytes.length * 4) / 3);
  });
});
