/**
 * Kinds of fields. A field says once what it reads, how that becomes JSON, and how it is documented; the select list, the
 * writer and the schema of a resource (resource.ts) follow from its fields.
 *
 * The expressions of a field are SQL over a row called `p`: `p.memo`, `coalesce(p.size, length(p.bytes))`.
 */
import { encodeAlias } from '../../ledger/alias.ts';
import { formatEntityId } from '../../ledger/entity-id.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { keyObjectJson } from '../json.ts';
import type { JsonSchema } from '../route.ts';
import { entityIdSchema, int64Schema, keySchema, nullableTimestampSchema, timestampSchema } from '../schemas.ts';
import { listSeparator, packedRows } from './cells.ts';
import type { Cells, Field, Fields } from './field-type.ts';
import { expressionsOf, memberWriter, positionsOf } from './writer.ts';

const described = (schema: JsonSchema, description: string | undefined): JsonSchema =>
  description === undefined ? schema : { ...schema, description };

/** A field made of one expression by a writer of its own, which gets the empty text for null. */
export const field = (sql: string, schema: JsonSchema, json: (cell: string) => string): Field => ({
  cells: { cell: sql },
  write: { kind: 'cell', json },
  schema,
});

/** A field made of several expressions: `derived({ day: 'p.day', node: 'p.node' }, schema, ({ day, node }) => ...)`. */
export const derived = <K extends string>(
  cells: Cells<K>,
  schema: JsonSchema,
  json: (cells: Cells<K>) => string,
): Field => ({ cells, write: { kind: 'cells', json: json as (cells: Cells) => string }, schema });

/** A field that may be null, as the schema says then. */
export const nullable = (of: Field): Field => ({ ...of, schema: { ...of.schema, type: [of.schema.type, 'null'] } });

/** A field that is left out of the answer when its writer gives the empty text. */
export const optional = (of: Field): Field => ({ ...of, isOptional: true });

/** `"shard.realm.num"`, or null for the empty text and for the id 0, which stands for none. */
export const entityIdJson = (id: string): string => (id === '' || id === '0' ? 'null' : `"${formatEntityId(id)}"`);
export const timestampJson = (nanos: string): string => (nanos === '' ? 'null' : `"${formatTimestamp(nanos)}"`);
export const numberJson = (digits: string): string => digits || 'null';
const digitsJson = (digits: string): string => (digits === '' ? 'null' : `"${digits}"`);
/** The bytes of a cell; null for the empty text. */
export const bytesOf = (cell: string): Buffer | null => (cell === '' ? null : Buffer.from(cell.slice(2), 'hex'));

/** The id of an entity; null for 0 too. */
export const entityId = (sql: string, description?: string): Field =>
  field(sql, described(entityIdSchema, description), entityIdJson);

/** A 64-bit integer, written as a JSON number. */
export const int64 = (sql: string, description: string, extra: JsonSchema = {}): Field =>
  field(sql, int64Schema(description, extra), numberJson);

/** A 32-bit integer. */
export const int32 = (sql: string, extra: JsonSchema = {}): Field =>
  field(sql, { type: 'integer', format: 'int32', ...extra }, numberJson);

/** A 64-bit integer written as a string. */
export const digits = (sql: string, description: string): Field =>
  field(sql, { type: ['string', 'null'], pattern: '^-?\\d+$', description }, digitsJson);

export const flag = (sql: string, description?: string): Field =>
  field(sql, described({ type: 'boolean' }, description), (cell) =>
    cell === 't' ? 'true' : cell === 'f' ? 'false' : 'null',
  );

/** A flag that counts as false where it is null. */
export const plainFlag = (sql: string, description?: string): Field =>
  field(sql, described({ type: 'boolean' }, description), (cell) => (cell === 't' ? 'true' : 'false'));

/** Nanoseconds as `"seconds.nanoseconds"`. */
export const timestamp = (sql: string, description?: string): Field =>
  field(sql, described(timestampSchema, description), timestampJson);

export const nullableTimestamp = (sql: string, description?: string): Field =>
  field(sql, described(nullableTimestampSchema, description), timestampJson);

/** A text of any characters. */
export const text = (sql: string, schema: JsonSchema = {}): Field =>
  field(`to_json(${sql})`, { type: 'string', ...schema }, (cell) => cell || 'null');

/** A text that needs no escapes: hex, digits and dots, the label of an enum. */
export const plainText = (sql: string, schema: JsonSchema = {}): Field =>
  field(sql, { type: 'string', ...schema }, digitsJson);

/** Bytes in base64 with padding. */
export const base64 = (sql: string, description: string): Field =>
  field(sql, { type: ['string', 'null'], contentEncoding: 'base64', description }, (cell) =>
    cell === '' ? 'null' : cell === '\\x' ? '""' : `"${Buffer.from(cell.slice(2), 'hex').toString('base64')}"`,
  );

/** Bytes in base32 without padding, as aliases are written. */
export const base32 = (sql: string, description: string): Field =>
  field(sql, { type: ['string', 'null'], pattern: '^[A-Z2-7]*$', description }, (cell) =>
    cell === '' ? 'null' : `"${encodeAlias(Buffer.from(cell.slice(2), 'hex'))}"`,
  );

/** A serialized `Key` as `{"_type","key"}`. */
export const key = (sql: string, description?: string): Field =>
  field(sql, described(keySchema, description), (cell) => keyObjectJson(bytesOf(cell)));

/** Schema of an object of these fields. */
export const objectSchemaOf = (
  fields: Readonly<Record<string, Pick<Field, 'schema' | 'isOptional'>>>,
  description?: string,
): JsonSchema => ({
  type: 'object',
  ...(description === undefined ? {} : { description }),
  required: Object.entries(fields).flatMap(([name, { isOptional }]) => (isOptional ? [] : [name])),
  properties: Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])),
});

/** An object within a resource. */
export const object = (fields: Fields, description?: string): Field => ({
  cells: Object.fromEntries(expressionsOf(fields).map((sql) => [sql, sql])),
  write: { kind: 'object', fields },
  schema: objectSchemaOf(fields, description),
});

/** `from` and `to` of a time. */
export const timestampRange = (from: string, to: string, description?: string): Field =>
  object(
    {
      from: timestamp(from, 'First consensus timestamp, inclusive.'),
      to: nullableTimestamp(to, 'Last consensus timestamp; null: still open.'),
    },
    description,
  );

/** The entries of a list: how SQL packs them into one cell, and how that becomes JSON. */
export interface ListEntries {
  readonly schema: JsonSchema;
  /** An aggregate over rows `p` that packs them; null without rows. */
  packed(orderBy: string): string;
  /** The JSON list of a packed cell; `[]` of the empty text. */
  json(cell: string): string;
  /** The rows of a packed cell, their cells in the order of the fields' expressions. */
  rows(cell: string): readonly (readonly string[])[];
}

/** Entries with these fields, whose expressions are over the rows `p` of an aggregate. */
export const listEntries = (fields: Fields, description?: string): ListEntries => {
  const expressions = expressionsOf(fields);
  const write = memberWriter(fields, positionsOf(expressions));
  const size = expressions.length;
  return {
    schema: objectSchemaOf(fields, description),
    packed: (orderBy) => packedRows(expressions, listSeparator, orderBy),
    json: (cell) => {
      if (cell === '') return '[]';
      const cells = cell.split(listSeparator);
      let json = `[{${write(cells, 0)}}`;
      for (let start = size; start < cells.length; start += size) json += `,{${write(cells, start)}}`;
      return `${json}]`;
    },
    rows: (cell) => {
      const cells = cell === '' ? [] : cell.split(listSeparator);
      return Array.from({ length: cells.length / size }, (_, i) => cells.slice(i * size, (i + 1) * size));
    },
  };
};

/** Schema of a list. */
export const listSchema = (items: JsonSchema, description?: string): JsonSchema =>
  described({ type: 'array', items }, description);

/** A list from an expression that packs its entries. */
export const list = (sql: string, of: ListEntries, description?: string): Field =>
  field(sql, listSchema(of.schema, description), of.json);

/** The expression of a cell that `relatedList` fills, for further fields that read it. */
export const relatedCell = (table: string): string => `related.${table}`;

/**
 * The rows of another table that belong to a row of the resource, by its `relatedBy`.
 * @param orderBy of the entries, over a row `p` of that table
 */
export const relatedList = (table: string, orderBy: string, of: ListEntries, description?: string): Field => ({
  ...list(relatedCell(table), of, description),
  related: { table, packed: of.packed(orderBy) },
});
