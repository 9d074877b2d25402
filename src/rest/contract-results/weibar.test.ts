import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gasPriceJson, quantityJson, tinybarsIn, valueJson } from './weibar.ts';

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

describe('a quantity', () => {
  it.each([
    ['', '"0x"'],
    ['00', '"0x0"'],
    ['0128', '"0x128"'],
    ['12', '"0x12"'],
    ['ad78ebc5ac620000', '"0xad78ebc5ac620000"'],
  ])('%j', (hex, json) => {
    expect(quantityJson(bytes(hex))).toBe(json);
  });

  it('is 0x where there is none', () => {
    expect(quantityJson(null)).toBe('"0x"');
    expect(gasPriceJson(null, 'tinybar')).toBe('"0x"');
    expect(gasPriceJson(null, 'weibar')).toBe('"0x"');
  });
});

describe('the price of gas', () => {
  it('loses what is below a tinybar', () => {
    expect(gasPriceJson(bytes('cf38224400'), 'tinybar')).toBe('"0x59"');
    expect(gasPriceJson(bytes('cf38224400'), 'weibar')).toBe('"0xcf38224400"');
    expect(gasPriceJson(bytes('02540be3ff'), 'tinybar')).toBe('"0x0"');
  });
});

describe('a value', () => {
  it('has a sign in tinybars, and truncates toward zero', () => {
    expect(valueJson(bytes('0001158e460913d00000'), 'tinybar')).toBe('2000000000');
    expect(valueJson(bytes('0001158e460913d00000'), 'weibar')).toBe('20000000000000000000');
    expect(valueJson(bytes('fdabf41bff'), 'tinybar')).toBe('-1');
    expect(valueJson(bytes('ff'), 'tinybar')).toBe('0');
    expect(valueJson(bytes('00'), 'weibar')).toBe('0');
  });

  it('is null for no bytes', () => {
    expect(valueJson(null, 'tinybar')).toBe('null');
    expect(valueJson(bytes(''), 'weibar')).toBe('null');
  });

  it('in weibars of some tinybars is these tinybars', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 63n) - 1n }), (tinybars) => {
        const hex = tinybarsIn(tinybars, 'weibar').toString(16);
        const weibars = bytes(`00${hex.length % 2 === 0 ? '' : '0'}${hex}`);
        expect(valueJson(weibars, 'tinybar')).toBe(`${tinybars}`);
        expect(gasPriceJson(weibars, 'tinybar')).toBe(`"0x${tinybars.toString(16)}"`);
      }),
    );
  });
});
