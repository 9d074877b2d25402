import { describe, expect, it } from 'vitest';
import { entityTag, matchesEntityTag, weakened } from './entity-tag.ts';

const body = Buffer.from('{}');

describe('entityTag', () => {
  it('is weak for the js flavour', () => {
    expect(entityTag(body, 'js')).toBe('W/"2-vyGp6PvFo4RvsFtPoIWeCReyIC8"');
  });

  it('is strong, a 0 and the MD5 of the body, for the java flavour', () => {
    expect(entityTag(body, 'java')).toBe('"099914b932bd37a50b983c5e7c90ae93b"');
  });

  it('becomes weak when the body is compressed', () => {
    expect(weakened('"0ab"')).toBe('W/"0ab"');
    expect(weakened('W/"0ab"')).toBe('W/"0ab"');
  });
});

describe('matchesEntityTag', () => {
  it.each([
    ['W/"1"', 'W/"1"'],
    ['"1"', 'W/"1"'],
    ['W/"1"', '"1"'],
    ['"0", W/"1"', 'W/"1"'],
    ['*', '"1"'],
  ])('%s names %s', (ifNoneMatch, tag) => expect(matchesEntityTag(ifNoneMatch, tag)).toBe(true));

  it('does not name another one', () => expect(matchesEntityTag('"2", "11"', 'W/"1"')).toBe(false));
});
