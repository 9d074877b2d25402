/**
 * Writers of JSON objects. A writer is put together once, as a function from the names of the members and the writers of
 * the fields, as Fastify's serializers are: a loop over the fields would call another function at the same place each
 * time, which the engine cannot inline.
 */
import type { Field, Fields } from './field-type.ts';

/** What an answer shows of the fields. */
export interface Variant {
  /** Members that are not shown. */
  readonly omit?: readonly string[];
  /** Members that are shown as null. */
  readonly blank?: readonly string[];
}

const literal = (text: string): string => JSON.stringify(text);

/** The SQL expressions of fields, each once. */
export const expressionsOf = (fields: Fields): readonly string[] => [
  ...new Set(Object.values(fields).flatMap(({ cells }) => Object.values(cells))),
];

export const positionsOf = (expressions: readonly string[]): ReadonlyMap<string, number> =>
  new Map(expressions.map((sql, i) => [sql, i]));

/** Writes the members of an object, without braces, from the cells of a row that begins at `start`. */
export type MemberWriter = (cells: readonly string[], start: number) => string;

/** @param positions where the cell of each expression stands in a row */
export const memberWriter = (
  fields: Fields,
  positions: ReadonlyMap<string, number>,
  { omit = [], blank = [] }: Variant = {},
): MemberWriter => {
  const writers: unknown[] = [];
  const cellOf = (sql: string): string => `cells[start + ${positions.get(sql)}]`;

  const valueCode = ({ cells, write }: Field): string => {
    if (write.kind === 'object') return `'{' + ${membersCode(write.fields)} + '}'`;
    const name = `write${writers.push(write.json) - 1}`;
    if (write.kind === 'cell') return `${name}(${Object.values(cells).map(cellOf)})`;
    return `${name}({${Object.entries(cells).map(([local, sql]) => `${literal(local)}: ${cellOf(sql)}`)}})`;
  };

  const membersCode = (members: Fields): string => {
    let isFirst = true;
    const parts = Object.entries(members).map(([name, member]) => {
      const label = `${literal(name)}:`;
      if (member.isOptional) return `optional(${literal(label)}, ${valueCode(member)}, ${isFirst})`;
      const separated = literal(isFirst ? label : `,${label}`);
      isFirst = false;
      return `${separated} + ${blank.includes(name) ? "'null'" : valueCode(member)}`;
    });
    if (isFirst) throw new TypeError('An object needs a member that is always there');
    return parts.join(' + ');
  };

  const shown = Object.fromEntries(Object.entries(fields).filter(([name]) => !omit.includes(name)));
  const body = `return (cells, start) => ${membersCode(shown)};`;
  const optional = (label: string, value: string, comesFirst: boolean): string =>
    value === '' ? '' : comesFirst ? `${label}${value},` : `,${label}${value}`;
  const make = new Function('optional', ...writers.map((_, i) => `write${i}`), body);
  return make(optional, ...writers);
};
