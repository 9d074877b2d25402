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
    ['{f}', "Unexpected character ('f' (code 102)): was expecting double-quote to start property name"],
    ['{"a" 1}', "Unexpected character ('1' (code 49)): was expecting a colon to separate field name and value"],
    ['{"a":1 "b":2}', `Unexpected character ('"' (code 34)): was expecting comma to separate Object entries`],
    ['[1 2]', "Unexpected character ('2' (code 50)): was expecting comma to separate Array entries"],
    ['{"a":', 'Unexpected end-of-input: was expecting a JSON value'],
    ['{"a":"b', 'Unexpected end-of-input in a string value'],
    ['{"a":tru}', "Unexpected character ('t' (code 116)): was expecting a JSON value"],
    ['{"a":01}', "Unexpected character ('1' (code 49)): was expecting the end of a number"],
    ['{"a":-}', "Unexpected character ('}' (code 125)): was expecting a digit"],
    ['{"a":"\n"}', 'Illegal unquoted character ((CTRL-CHAR, code 10)): has to be escaped'],
    ['{"a":"\\x"}', "Unrecognized character escape 'x'"],
    ['{} {}', "Unexpected character ('{' (code 123)): was expecting the end of the document"],
    ['   ', 'No content to map due to end-of-input'],
  ])('is refused when it is %s', (text, fault) => {
    expect(faultOf(text)).toEqual([`JSON parse error: ${fault}`]);
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
