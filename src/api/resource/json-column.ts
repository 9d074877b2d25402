/** Columns that hold JSON. Their numbers are 64-bit integers, which a plain JSON parser would round. */
import type { JsonSchema } from '../route.ts';
import { field } from './field.ts';
import type { Field } from './field-type.ts';

/** JSON with its numbers as the texts that they are written with. */
export type ExactJson = string | boolean | null | readonly ExactJson[] | ExactJsonObject;
export interface ExactJsonObject {
  readonly [member: string]: ExactJson;
}

/** @throws SyntaxError */
export const parseExactJson = (text: string): ExactJson =>
  JSON.parse(text, (_key, value: unknown, context?: { readonly source: string }) =>
    typeof value === 'number' && context !== undefined ? context.source : value,
  );

/** A scalar member as text; the empty text for null and for a member that is missing. */
export const memberText = (object: ExactJsonObject, name: string): string => {
  const value = Object.hasOwn(object, name) ? object[name] : null;
  return typeof value === 'string' ? value : typeof value === 'boolean' ? String(value) : '';
};

/** The objects of a column that holds a list of them. */
export const objectsOf = (cell: string): readonly ExactJsonObject[] =>
  cell === '' || cell === 'null' ? [] : (parseExactJson(cell) as readonly ExactJsonObject[]);

/** A list from a column that holds a JSON list of objects. */
export const jsonList = (sql: string, schema: JsonSchema, entryJson: (entry: ExactJsonObject) => string): Field =>
  field(sql, schema, (cell) => (cell === '' ? '[]' : `[${objectsOf(cell).map(entryJson).join(',')}]`));
