import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonList, memberText, objectsOf, parseExactJson } from './json-column.ts';
import { fieldJson } from './testing/cells.fixture.ts';

describe('parseExactJson', () => {
  it('keeps numbers as they are written', () => {
    expect(parseExactJson('{"a": 9223372036854775807, "b": [-1, 1e3], "c": null, "d": true, "e": "7"}')).toEqual({
      a: '9223372036854775807',
      b: ['-1', '1e3'],
      c: null,
      d: true,
      e: '7',
    });
  });

  it('keeps any integer of 64 bits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }), (number) => {
        expect(parseExactJson(`[${number}]`)).toEqual([number.toString()]);
      }),
    );
  });
});

describe('memberText', () => {
  it.each([
    ['number', '5'],
    ['flag', 'false'],
    ['nothing', ''],
    ['missing', ''],
    ['toString', ''],
  ])('of %s is %j', (name, text) => {
    expect(memberText(parseExactJson('{"number": 5, "flag": false, "nothing": null}') as never, name)).toBe(text);
  });
});

describe('a list from a column', () => {
  const fees = jsonList('p.fees', { type: 'array' }, (fee) => memberText(fee, 'amount'));
  const json = (cell: string) => fieldJson(fees, cell);

  it.each([
    ['', '[]'],
    ['null', '[]'],
    ['[]', '[]'],
    ['[{"amount": 9007199254740993}, {"amount": 2}]', '[9007199254740993,2]'],
  ])('of %j is %s', (cell, expected) => {
    expect(json(cell)).toBe(expected);
  });

  it('has its objects', () => {
    expect(objectsOf('[{"a": {"b": 1}}]')).toEqual([{ a: { b: '1' } }]);
  });
});
