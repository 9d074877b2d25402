import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRedirect } from './redirect.ts';
import { address0x, inputOf, longZero, packedRedirect } from './testing/system-call.fixture.ts';

const hexOf = (bytes: Uint8Array): `0x${string}` => `0x${Buffer.from(bytes).toString('hex')}`;
const withoutSelector = (input: Uint8Array): Uint8Array => input.subarray(4);
const plain = (redirect: ReturnType<typeof parseRedirect>) =>
  redirect && { target: redirect.target, input: hexOf(redirect.input) };

describe('input of redirects', () => {
  it('is read in both forms', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: (1n << 38n) - 1n }),
        fc.uint8Array({ minLength: 4, maxLength: 4 }).filter(([first]) => first !== 0),
        fc.array(fc.bigInt({ min: 1n, max: (1n << 160n) - 1n }), { maxLength: 4 }),
        (num, selector, args) => {
          const words = args.map((value) => value.toString(16).padStart(64, '0')).join('');
          const input = new Uint8Array(Buffer.from(Buffer.from(selector).toString('hex') + words, 'hex'));
          const expected = { target: longZero(num), input: hexOf(input) };
          const packed = packedRedirect('618dc65e', longZero(num), input);
          const wrapped = inputOf('redirectForToken(address,bytes)', address0x(longZero(num)), hexOf(input));
          expect(plain(parseRedirect(withoutSelector(packed)))).toEqual(expected);
          expect(plain(parseRedirect(withoutSelector(wrapped)))).toEqual(expected);
        },
      ),
    );
  });

  it('takes for packed what only begins like the other form', () => {
    const zeros = packedRedirect('618dc65e', longZero(7n), new Uint8Array(100));
    expect(plain(parseRedirect(withoutSelector(zeros)))).toEqual({
      target: longZero(7n),
      input: hexOf(new Uint8Array(100)),
    });
  });

  it('has an address and a selector at least', () => {
    expect(parseRedirect(new Uint8Array(23))).toBeUndefined();
    expect(parseRedirect(new Uint8Array(24))).toMatchObject({ target: longZero(0n) });
  });
});
