import { BinaryWriter } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AccountAmount } from '../../protobuf/generated/services/basic_types.ts';
import { accountId } from './proto-ids.ts';
import { WireWriter } from './wire-writer.ts';

const written = (write: (writer: WireWriter) => void): Uint8Array => {
  const writer = new WireWriter(1 << 17);
  write(writer);
  return new Uint8Array(writer.bytes.subarray(0, writer.position));
};

describe('WireWriter', () => {
  it('writes integers as the protobuf library does', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), (value) => {
        expect(written((writer) => writer.bigVarint(value))).toEqual(new BinaryWriter().uint64(value).finish());
      }),
    );
    fc.assert(
      fc.property(fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }), (value) => {
        expect(written((writer) => writer.zigzag(value))).toEqual(new BinaryWriter().sint64(value).finish());
      }),
    );
    fc.assert(
      fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (value) => {
        expect(written((writer) => writer.varint(value))).toEqual(new BinaryWriter().uint64(BigInt(value)).finish());
      }),
    );
  });

  it.each([0, 1, 127, 128, 16_383, 16_384, 70_000])('fits the length of a nested message of %i bytes', (length) => {
    const content = new Uint8Array(length).fill(7);
    const expected = new BinaryWriter().uint32(10).bytes(content).finish();
    for (const width of [1, 2]) {
      const bytes = written((writer) => {
        writer.byte(10);
        const start = writer.open(width);
        writer.raw(content);
        const moved = writer.close(start, width);
        expect(writer.position - moved).toBe(length);
      });
      expect(bytes).toEqual(expected);
    }
  });

  it('nests messages whose lengths were guessed wrong', () => {
    const inner = new Uint8Array(200).fill(9);
    const bytes = written((writer) => {
      writer.byte(10);
      const outer = writer.open(1);
      writer.field(18, inner);
      writer.byte(26);
      const empty = writer.open(2);
      writer.close(empty, 2);
      writer.close(outer, 1);
    });
    const expected = new BinaryWriter()
      .uint32(10)
      .fork()
      .uint32(18)
      .bytes(inner)
      .uint32(26)
      .bytes(new Uint8Array())
      .join()
      .finish();
    expect(bytes).toEqual(expected);
  });

  it('writes accounts as the generated codec does', () => {
    for (const num of [0n, 1n, 127n, 128n, 98_765n, 2n ** 31n, 2n ** 53n + 1n, 2n ** 63n - 1n]) {
      const expected = AccountAmount.encode(AccountAmount.fromPartial({ accountID: accountId(num) })).finish();
      expect(written((writer) => writer.account(0x0a, num))).toEqual(expected);
    }
  });
});
