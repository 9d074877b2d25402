import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonValue, LONGEST_DOCUMENT, parseDocument } from './json-document.ts';
import { bytesOf, refusalOf } from './testing/call-bodies.fixture.ts';

const plain = (value: JsonValue): unknown => {
  switch (value.kind) {
    case 'null':
      return null;
    case 'number':
      return Number(value.text);
    case 'array':
      return value.items.map(plain);
    case 'object':
      return Object.fromEntries([...value.members].map(([name, member]) => [name, plain(member)]));
    default:
      return value.value;
  }
};

const faultOf = (text: string) => refusalOf(() => parseDocument(bytesOf(text)));

describe('a document', () => {
  it('keeps 64-bit integers as they were written', () => {
    expect(parseDocument(bytesOf(' {"gas": 9223372036854775807} '))).toEqual({
      kind: 'object',
      members: new Map([['gas', { kind: 'number', text: '9223372036854775807' }]]),
    });
  });

  it('means what any other parser says it does', () => {
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    const node = fc.oneof(leaf, fc.array(leaf), fc.dictionary(fc.string({ maxLength: 20 }), leaf));
    fc.assert(
      fc.property(node, fc.boolean(), (value, spaced) => {
        const text = JSON.stringify(value, undefined, spaced ? 2 : undefined);
        expect(plain(parseDocument(bytesOf(text)))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('never ends with anything but a value or a 400', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '1',
      '-',
      '.',
      'e',
      'true',
      'null',
      '\\',
      'u',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          expect(faultOf(text)[0]).toMatch(/^JSON parse error: /);
          return;
        }
        expect(plain(parseDocument(bytesOf(text)))).toEqual(expected);
      }),
    );
  });

  it('understands escapes and takes the last of two members of one name', () => {
    const text = '{"a":1,"a":"\\u0041\\n\\/\\"\\ud83d\\ude00"}';
    expect(plain(parseDocument(bytesOf(text)))).toEqual({ a: 'A\n/"😀' });
  });

  it.each([
    ['{f}', "Expected property name or '}' in JSON at position 1 (line 1 column 2)"],
    ['{"a" 1}', "Expected ':' after property name in JSON at position 5 (line 1 column 6)"],
    ['{"a":1 "b":2}', "Expected ',' or '}' after property value in JSON at position 7 (line 1 column 8)"],
    ['[1 2]', "Expected ',' or ']' after array element in JSON at position 3 (line 1 column 4)"],
    ['{"a":', 'Unexpected end of JSON input'],
    ['{"a":"b', 'Unterminated string in JSON at position 7 (line 1 column 8)'],
    ['{"a":tru}', `Unexpected token '}', "{"a":tru}" is not valid JSON`],
    ['{"a":01}', 'Unexpected number in JSON at position 6 (line 1 column 7)'],
    ['{"a":-}', 'No number after minus sign in JSON at position 6 (line 1 column 7)'],
    ['{"a":"\n"}', 'Bad control character in string literal in JSON at position 6 (line 1 column 7)'],
    ['{"a":"\\x"}', 'Bad escaped character in JSON at position 7 (line 1 column 8)'],
    ['{} {}', 'Unexpected non-whitespace character after JSON at position 3 (line 1 column 4)'],
    ['   ', 'No content to map due to end-of-input'],
  ])('is refused when it is %s', (text, fault) => {
    expect(faultOf(text)).toEqual([`JSON parse error: ${fault}`]);
  });

  it('takes names as they are, and brackets in strings as text', () => {
    const text = '{"__proto__":{"1":true},"a":"[[[[[[[[[[[\\"{{"}';
    expect(parseDocument(bytesOf(text))).toEqual({
      kind: 'object',
      members: new Map<string, JsonValue>([
        ['__proto__', { kind: 'object', members: new Map([['1', { kind: 'boolean', value: true }]]) }],
        ['a', { kind: 'string', value: '[[[[[[[[[[["{{' }],
      ]),
    });
  });

  it('is refused when its bytes are no UTF-8', () => {
    expect(refusalOf(() => parseDocument(new Uint8Array([0x22, 0xff, 0x22])))).toEqual([
      'JSON parse error: Invalid UTF-8',
    ]);
  });

  it('is bounded in length, names, nesting and numbers', () => {
    const longest = `"${'a'.repeat(LONGEST_DOCUMENT - 2)}"`;
    expect(parseDocument(bytesOf(longest)).kind).toBe('string');
    expect(faultOf(`${longest} `)).toEqual([
      'JSON parse error: Document length (263169) exceeds the maximum allowed (263168)',
    ]);
    expect(parseDocument(bytesOf(`{"${'n'.repeat(100)}":1}`)).kind).toBe('object');
    expect(faultOf(`{"${'n'.repeat(101)}":1}`)).toEqual([
      'JSON parse error: Name length (101) exceeds the maximum allowed (100)',
    ]);
    expect(parseDocument(bytesOf('['.repeat(10) + ']'.repeat(10))).kind).toBe('array');
    expect(faultOf('['.repeat(11))).toEqual([
      'JSON parse error: Document nesting depth (11) exceeds the maximum allowed (10)',
    ]);
    expect(faultOf('12345678901234567890')).toEqual([
      'JSON parse error: Number value length (20) exceeds the maximum allowed (19)',
    ]);
  });
});
