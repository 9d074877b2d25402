import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { metadataHashV6 } from './record-file-v6.ts';
import { RunningHash } from './running-hash.ts';

const int32 = (value: number): Buffer => Buffer.from(value.toString(16).padStart(8, '0'), 'hex');
const H = (...parts: Uint8Array[]): Buffer => createHash('sha384').update(Buffer.concat(parts)).digest();

/** The rule of the stream format, spelled out. */
const expectedHash = (start: Uint8Array, items: readonly (readonly [Uint8Array, Uint8Array])[]): Buffer => {
  const hashClass = Buffer.from('1e7451a283da22f401000000', 'hex');
  const itemClass = Buffer.from('e370929ba5429d8b00000001', 'hex');
  return items.reduce<Buffer>(
    (running, [record, transaction]) =>
      H(
        hashClass,
        running,
        hashClass,
        H(itemClass, int32(record.length), record, int32(transaction.length), transaction),
      ),
    Buffer.from(start),
  );
};

describe('running hash', () => {
  it('follows the rule for any items, whichever way they are added', () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 48, maxLength: 48 }), fc.array(fc.tuple(bytes, bytes)), (start, items) => {
        const running = new RunningHash(start);
        for (const [record, transaction] of items) running.add(record, transaction);
        expect(Buffer.from(running.value())).toEqual(expectedHash(start, items));
      }),
    );
  });

  it('takes items beyond its first buffer', () => {
    const start = Buffer.alloc(48);
    const items = [
      [Buffer.alloc(10, 1), Buffer.alloc(200_000, 2)],
      [Buffer.alloc(300_000, 3), Buffer.alloc(1, 4)],
      [Buffer.alloc(5, 5), Buffer.alloc(0)],
    ] as const;
    const running = new RunningHash(start);
    for (const [record, transaction] of items) running.add(record, transaction);
    expect(Buffer.from(running.value())).toEqual(expectedHash(start, items));
  });

  it('gives values that later items do not change', () => {
    const running = new RunningHash(Buffer.alloc(48));
    const before = running.value();
    running.add(Buffer.of(1), Buffer.of(2));
    expect(before).toEqual(new Uint8Array(48));
    expect(running.value()).not.toEqual(before);
  });
});

describe('metadata hash of v6', () => {
  it('covers versions, both running hashes and the block number', () => {
    const [start, end] = [Buffer.alloc(48, 1), Buffer.alloc(48, 2)];
    const hash = metadataHashV6({ major: 1, minor: 2, patch: 3 }, start, end, -2n);
    expect(hash).toEqual(H(int32(6), int32(1), int32(2), int32(3), start, end, Buffer.from('fffffffffffffffe', 'hex')));
  });
});
