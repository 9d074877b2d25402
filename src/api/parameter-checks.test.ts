import { describe, expect, it } from 'vitest';
import {
  blockNumberOf,
  blockNumberParameter,
  entityIdOrLongZeroParameter,
  entityIdParameter,
  isTimestampText,
  nonNegativeInt4Parameter,
  publicKeyDigits,
  publicKeyParameter,
  transactionTypeParameter,
} from './parameter-checks.ts';

const key = 'bfc9d4a344389324119eed485eb3a875b1e5a54bd189d2fd5ad88ce1d3473dee';

describe('values of parameters', () => {
  it.each(['1', '1234567890.000000001', '0.1'])('%s is a timestamp', (text) => {
    expect(isTimestampText(text)).toBe(true);
  });

  it.each(['', '1.', '.1', '12345678901', '1.0000000001', '-1', '1e9', '1.2.3', '1 '])('%j is no timestamp', (text) => {
    expect(isTimestampText(text)).toBe(false);
  });

  it('reads block numbers in decimal and hex', () => {
    expect(blockNumberOf('17')).toBe(17n);
    expect(blockNumberOf('0xa0')).toBe(160n);
    expect(blockNumberOf('9223372036854775807')).toBe(9223372036854775807n);
    expect(blockNumberOf('9999999999999999999')).toBe(9_999_999_999_999_999_999n);
    expect(blockNumberOf(`0x${'f'.repeat(17)}`)).toBe(2n ** 68n - 1n);
    expect(['99999999999999999999', '0x', 'a0', '-1', ''].map(blockNumberOf)).toEqual(
      Array.from({ length: 5 }, () => undefined),
    );
    expect(blockNumberParameter('ne', '17')).toBe(false);
    expect(blockNumberParameter('lte', '0x11')).toBe(true);
  });

  it('takes indexes of 31 bits', () => {
    const taken = ['0', '1', '2147483647', '2147483648', '-1', '1.0', ''].map((text) =>
      nonNegativeInt4Parameter('eq', text),
    );
    expect(taken).toEqual([true, true, true, false, false, false, false]);
  });

  it('takes names of transaction types in any letter case', () => {
    expect(transactionTypeParameter('eq', 'cryptoTransfer')).toBe(true);
    expect(transactionTypeParameter('eq', 'UNKNOWN')).toBe(false);
  });

  it('tells real EVM addresses from long-zero ones', () => {
    const real = 'ac384c53f03855fa1b3616052f8ba32c6c2a2fec';
    const longZero = '0000000000000000000000000000000000000012';
    expect(entityIdParameter('eq', real)).toBe(true);
    expect(entityIdOrLongZeroParameter('eq', real)).toBe(false);
    expect(entityIdOrLongZeroParameter('eq', longZero)).toBe(true);
  });

  it('brings public keys into the form of the database', () => {
    expect(publicKeyDigits(`0x${key.toUpperCase()}`)).toBe(key);
    expect(publicKeyDigits(`302a300506032b6570032100${key}`)).toBe(key);
    expect(publicKeyDigits(`02${key}`)).toBe(`02${key}`);
    expect(publicKeyParameter('eq', `302a300506032b6570032100${key}`)).toBe(true);
    expect(publicKeyParameter('eq', '-2')).toBe(false);
  });
});
