/**
 * Writers of JSON objects. A writer is put together once, as a function from the names of the members and the writers of
 * the fields, as Fastify's serializers are: a loop over the fields would call another function at the same place each
 * time, which the engine cannot inline.
 */
import type { Field, Fields, Related } from './field-type.ts';
import { type JsonBytes, literalBytes } from './json-bytes.ts';

/** What an answer shows of the fields. */
export interface Variant {
  /** Members that are not shown. */
  readonly omit?: readonly string[];
  /** Members that are shown as null. */
  readonly blank?: readonly string[];
}

/** The SQL expressions of fields, each once. */
export const expressionsOf = (fields: Fields): readonly string[] => [
  ...new Set(Object.values(fields).flatMap(({ cells }) => Object.values(cells))),
];

export const positionsOf = (expressions: readonly string[]): ReadonlyMap<string, number> =>
  new Map(expressions.map((sql, i) => [sql, i]));

/**
 * Writes the members of an object, without braces.
 * @param bounds where the cells begin and end in `bytes`; those of the row from `at` on
 * @param given what fields of the kind `given` are made of beside their cells
 */
export type MemberWriter = (
  out: JsonBytes,
  bytes: Buffer,
  bounds: ArrayLike<number>,
  at: number,
  related?: Related,
  given?: unknown,
) => void;

/** A piece of a writer: text that is always the same, or code. */
type Part = { readonly text: string } | { readonly code: string };

/** @param positions where the cell of each expression stands in a row */
export const memberWriter = (
  fields: Fields,
  positions: ReadonlyMap<string, number>,
  { omit = [], blank = [] }: Variant = {},
): MemberWriter => {
  /** What the code refers to, by the names that it has there. */
  const values: Record<string, unknown> = {};
  let names = 0;
  const freshName = (prefix: string): string => `${prefix}${names++}`;
  const refer = (prefix: string, value: unknown): string => {
    const name = freshName(prefix);
    values[name] = value;
    return name;
  };

  const codeOf = (parts: readonly Part[]): string => {
    let code = '';
    let text = '';
    const flush = (): void => {
      if (text !== '') code += `out.literal(${refer('text', literalBytes(text))});`;
      text = '';
    };
    for (const part of parts) {
      if ('text' in part) text += part.text;
      else {
        flush();
        code += part.code;
      }
    }
    flush();
    return code;
  };

  const valueParts = ({ cells, write }: Field): Part[] => {
    if (write.kind === 'object') return [{ text: '{' }, ...memberParts(write.fields), { text: '}' }];
    const put = refer('put', write.put);
    if (write.kind === 'related') return [{ code: `${put}(out, related);` }];
    const bounds = Object.values(cells).map((sql) => {
      const at = 2 * (positions.get(sql) as number);
      return `, bounds[at + ${at}], bounds[at + ${at + 1}]`;
    });
    const given = write.kind === 'given' ? ', given' : '';
    return [{ code: `${put}(out${given}, bytes${bounds.join('')});` }];
  };

  /** The label is taken back where no value follows it. */
  const optionalCode = (label: string, member: Field, isFirst: boolean): string => {
    const before = freshName('before');
    const value = freshName('value');
    const separator = codeOf([{ text: ',' }]);
    return (
      `const ${before} = out.at;${isFirst ? '' : separator}${codeOf([{ text: label }])}const ${value} = out.at;` +
      `${codeOf(valueParts(member))}if (out.at === ${value}) out.at = ${before};${isFirst ? `else {${separator}}` : ''}`
    );
  };

  const memberParts = (members: Fields): Part[] => {
    let isFirst = true;
    const parts = Object.entries(members).flatMap(([name, member]): Part[] => {
      const label = `${JSON.stringify(name)}:`;
      if (member.isOptional) return [{ code: optionalCode(label, member, isFirst) }];
      const text = isFirst ? label : `,${label}`;
      isFirst = false;
      return blank.includes(name) ? [{ text: `${text}null` }] : [{ text }, ...valueParts(member)];
    });
    if (isFirst) throw new TypeError('An object needs a member that is always there');
    return parts;
  };

  const shown = Object.fromEntries(Object.entries(fields).filter(([name]) => !omit.includes(name)));
  const body = `return (out, bytes, bounds, at, related, given) => {${codeOf(memberParts(shown))}};`;
  return new Function(...Object.keys(values), body)(...Object.values(values));
};
