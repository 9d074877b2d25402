import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonSchema, OpenApiOperation } from '../route.ts';
import { int64ShapeOf, withInt64Texts } from './int64-text.ts';

const int64: JsonSchema = { type: ['integer', 'null'], format: 'int64' };

const operationOf = (schema: JsonSchema, schemas: OpenApiOperation['schemas'] = {}): OpenApiOperation => ({
  operationId: 'test',
  summary: 'Test',
  tags: [],
  parameters: [],
  answer: { description: 'Test.', schema },
  problems: [],
  schemas,
});

const rewritten = (schema: JsonSchema, text: string, schemas?: OpenApiOperation['schemas']): string =>
  withInt64Texts(text, int64ShapeOf(operationOf(schema, schemas)));

const object = (properties: Readonly<Record<string, JsonSchema>>, rest: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...rest,
});
const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

describe('withInt64Texts', () => {
  it('quotes every number of an int64 member, whatever its size, and leaves other members alone', () => {
    const schema = object({ a: int64, b: { type: 'integer', format: 'int32' }, c: { type: 'string' }, d: int64 });
    expect(rewritten(schema, '{"a":9223372036854775807,"b":7,"c":"5","d":-0,"e":9}')).toBe(
      '{"a":"9223372036854775807","b":7,"c":"5","d":"-0","e":9}',
    );
  });

  it('leaves null, and a member that is written as a string already', () => {
    expect(rewritten(object({ a: int64, b: int64 }), '{"a":null,"b":"12"}')).toBe('{"a":null,"b":"12"}');
  });

  it('goes into lists, objects, references and maps', () => {
    const schema = object({
      list: list({ $ref: '#/components/schemas/Entry' }),
      numbers: list(int64),
      map: { type: 'object', additionalProperties: int64 },
    });
    const schemas = { Entry: object({ balance: object({ balance: int64, decimals: { type: 'integer' } }) }) };
    expect(
      rewritten(
        schema,
        '{"list":[{"balance":{"balance":1,"decimals":2}},{}],"numbers":[1,2,[]],"map":{"x":5,"y":null}}',
        schemas,
      ),
    ).toBe('{"list":[{"balance":{"balance":"1","decimals":2}},{}],"numbers":["1","2",[]],"map":{"x":"5","y":null}}');
  });

  it('joins the parts of a composed schema', () => {
    const schema: JsonSchema = {
      allOf: [object({ a: int64 }), { $ref: '#/components/schemas/B' }],
      oneOf: [object({ c: object({ d: int64 }) }), object({ c: object({ e: int64 }) })],
    };
    expect(rewritten(schema, '{"a":1,"b":2,"c":{"d":3,"e":4,"f":5}}', { B: object({ b: int64 }) })).toBe(
      '{"a":"1","b":"2","c":{"d":"3","e":"4","f":5}}',
    );
  });

  it('ends with a schema that refers to itself', () => {
    const schemas = { Node: object({ id: int64, parent: { $ref: '#/components/schemas/Node' } }) };
    expect(rewritten({ $ref: '#/components/schemas/Node' }, '{"id":1}', schemas)).toBe('{"id":"1"}');
  });

  it('is not misled by texts that look like members, nor by escapes in names', () => {
    const schema = object({ a: int64, memo: { type: 'string' }, 'q"': int64, other: {} });
    const text = '{"memo":"\\",\\"a\\":5,\\\\","other":{"a":[{"}":"]\\\\"}],"b":"a\\":1"},"q\\"":3,"a":4}';
    expect(rewritten(schema, text)).toBe(
      '{"memo":"\\",\\"a\\":5,\\\\","other":{"a":[{"}":"]\\\\"}],"b":"a\\":1"},"q\\"":"3","a":"4"}',
    );
  });

  it('keeps white space', () => {
    expect(rewritten(object({ a: int64, b: list(int64) }), ' { "a" : 1 ,\n "b" : [ 2 , 3 ] } ')).toBe(
      ' { "a" : "1" ,\n "b" : [ "2" , "3" ] } ',
    );
  });

  it('gives the very same text where the schema has no 64-bit integers', () => {
    expect(int64ShapeOf(operationOf(object({ a: list({ type: 'integer' }) })))).toBeUndefined();
    expect(rewritten({ type: 'string' }, '{"a":1}')).toBe('{"a":1}');
  });

  it('changes the numbers that the schema names and nothing else, for any schema and value', () => {
    interface Made {
      readonly schema: JsonSchema;
      readonly text: string;
      readonly expected: unknown;
    }
    const plain = (schema: JsonSchema, value: unknown): Made => ({
      schema,
      text: JSON.stringify(value),
      expected: value,
    });
    const leaf: fc.Arbitrary<Made> = fc.oneof(
      fc
        .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
        .map((value): Made => ({ schema: int64, text: `${value}`, expected: `${value}` })),
      fc.integer().map((value) => plain({ type: 'integer' }, value)),
      fc.jsonValue().map((value) => plain({}, JSON.parse(JSON.stringify(value)))),
      fc.string().map((value) => plain({ type: 'string' }, value)),
    );
    const made = fc.letrec<{ node: Made }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc
          .dictionary(
            fc.string({ unit: 'binary' }).filter((name) => name !== '__proto__'),
            tie('node'),
            { maxKeys: 4, noNullPrototype: true },
          )
          .map((parts): Made => {
            const entries = Object.entries(parts);
            return {
              schema: object(Object.fromEntries(entries.map(([name, part]) => [name, part.schema]))),
              text: `{${entries.map(([name, part]) => `${JSON.stringify(name)}:${part.text}`).join(',')}}`,
              expected: Object.fromEntries(entries.map(([name, part]) => [name, part.expected])),
            };
          }),
        fc.tuple(tie('node'), fc.nat({ max: 3 })).map(
          ([part, length]): Made => ({
            schema: list(part.schema),
            text: `[${Array(length).fill(part.text).join(',')}]`,
            expected: Array(length).fill(part.expected),
          }),
        ),
      ),
    })).node;
    fc.assert(
      fc.property(made, ({ schema, text, expected }) => {
        expect(JSON.parse(rewritten(schema, text))).toEqual(expected);
      }),
    );
  });
});
