import { describe, expect, it } from 'vitest';
import { checkSummedAddress } from './address.ts';

const ADDRESS = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
const ICAP = 'XE65GB6LDNXYOFTX0NSV3FUWKOWIXAMJK36';

describe('addresses', () => {
  it('are taken in every form that means one', () => {
    const digits = ADDRESS.slice(2);
    for (const text of [ADDRESS, digits, `0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`, ICAP]) {
      expect(checkSummedAddress(text)).toBe(ADDRESS);
    }
  });

  it.each([
    ['too short', '0x12'],
    ['a wrong check sum', `${ADDRESS.slice(0, -2)}Aa`],
    ['a capital X', `0X${ADDRESS.slice(2)}`],
    ['an entity id', '0.0.1234'],
    ['wrong check digits', ICAP.replace('XE65', 'XE66')],
    ['a basic ICAP text', 'XE81ETHXREGGAVOFYORK'],
    ['an ICAP text of more than 20 bytes', 'XE54ZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZ'],
    ['spaces', ` ${ADDRESS}`],
  ])('are refused for %s', (_what, text) => {
    expect(checkSummedAddress(text)).toBeUndefined();
  });
});
