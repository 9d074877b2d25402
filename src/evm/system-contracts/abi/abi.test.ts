import fc from 'fast-check';
import { type Address, encodeAbiParameters, type Hex, parseAbiParameters } from 'viem';
import { describe, expect, it } from 'vitest';
import { abiTypes, functionSignature } from './abi-type.ts';
import { AbiError, decodeAbi } from './decode.ts';
import { addressWord, encodeAbi, integerWord } from './encode.ts';

const hexOf = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`;
const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replace(/^0x/, ''), 'hex'));
const word = (value: bigint): string => value.toString(16).padStart(64, '0');

const bytes = fc.uint8Array({ maxLength: 80 });
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((value) => Buffer.from(value).toString('hex'));
const int64 = fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n });
const uint256 = fc.bigInt({ min: 0n, max: (1n << 256n) - 1n });

describe('ABI', () => {
  it('agrees with viem on nested structs', () => {
    const list = 'address,(bool,(int64,bytes)[],string),uint256[],(address,int64,bytes4)[],int256';
    const types = abiTypes(list);
    const parameters = parseAbiParameters(list);
    const struct = fc.tuple(
      fc.boolean(),
      fc.array(fc.tuple(int64, bytes), { maxLength: 3 }),
      fc.string({ unit: 'grapheme' }),
    );
    const entry = fc.tuple(address, int64, fc.uint8Array({ minLength: 4, maxLength: 4 }));
    fc.assert(
      fc.property(
        address,
        struct,
        fc.array(uint256, { maxLength: 3 }),
        fc.array(entry, { maxLength: 3 }),
        fc.bigInt({ min: -(1n << 255n), max: (1n << 255n) - 1n }),
        (a, s, numbers, entries, signed) => {
          const ours = encodeAbi(types, [a, s, numbers, entries, signed]);
          const theirs = encodeAbiParameters(parameters, [
            `0x${a}` as Address,
            [s[0], s[1].map(([n, b]) => [n, hexOf(b)]), s[2]],
            numbers,
            entries.map(([who, n, b]) => [`0x${who}` as Address, n, hexOf(b)]),
            signed,
          ] as never);
          expect(hexOf(ours)).toBe(theirs);
          expect(decodeAbi(types, ours)).toEqual([a, s, numbers, entries, signed]);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('encodes single words', () => {
    expect(hexOf(integerWord(0n))).toBe(`0x${'0'.repeat(64)}`);
    expect(hexOf(integerWord(-1n))).toBe(`0x${'f'.repeat(64)}`);
    expect(hexOf(integerWord((1n << 64n) + 5n))).toBe(`0x${word((1n << 64n) + 5n)}`);
    expect(hexOf(integerWord((1n << 256n) - 2n))).toBe(`0x${'f'.repeat(63)}e`);
    expect(hexOf(addressWord('00000000000000000000000000000000000003e9'))).toBe(`0x${word(1001n)}`);
  });

  it('ignores bytes after the last value', () => {
    expect(decodeAbi(abiTypes('uint8'), bytesOf(`${word(7n)}ffff`))).toEqual([7n]);
    expect(decodeAbi([], bytesOf('ffff'))).toEqual([]);
  });

  it.each([
    ['uint8', word(256n)],
    ['int8', word(128n)],
    ['int64', word(1n << 63n)],
    ['uint64', word(1n << 64n)],
    ['bool', word(2n)],
    ['address', word(1n << 160n)],
    ['uint256', '00'.repeat(31)],
    ['uint256', ''],
    ['bytes', word(32n) + word(33n) + '00'.repeat(32)],
    ['bytes', word(1n << 255n) + word(0n)],
    ['int64[]', word(32n) + word(3n) + word(1n) + word(2n)],
    ['string', word(64n)],
  ])('refuses a bad %s', (type, data) => {
    expect(() => decodeAbi(abiTypes(type), bytesOf(data))).toThrow(AbiError);
  });

  it('refuses offsets that overlap so much that small data became huge', () => {
    const entries = 60n;
    // Every outer entry points to the same inner array, and each entry of that to the same one again.
    const inner = word(entries) + word(0n).repeat(Number(entries));
    const outer = word(entries) + word(entries * 32n).repeat(Number(entries)) + inner;
    expect(() => decodeAbi(abiTypes('int64[][]'), bytesOf(word(32n) + outer))).toThrow('Values overlap');
  });

  it('refuses to encode what does not fit', () => {
    expect(() => encodeAbi(abiTypes('int64'), [1n << 63n])).toThrow(RangeError);
    expect(() => encodeAbi(abiTypes('uint8'), [-1n])).toThrow(RangeError);
  });

  it('knows no other types', () => {
    expect(() => abiTypes('uint')).toThrow('Not an ABI type: uint');
  });

  it('reads signatures', () => {
    const transfer = functionSignature('transfer(address,uint256)');
    expect(transfer).toMatchObject({ name: 'transfer', selector: 0xa9059cbb });
    expect(transfer.parameters.map(({ kind }) => kind)).toEqual(['address', 'uint']);
    const transfers = functionSignature(
      'cryptoTransfer(((address,int64,bool)[]),(address,(address,int64,bool)[],(address,address,int64,bool)[])[])',
    );
    expect(transfers.selector).toBe(0x0e71804f);
    expect(functionSignature('name()')).toMatchObject({ selector: 0x06fdde03, parameters: [] });
  });
});
