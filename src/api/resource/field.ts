/**
 * Kinds of fields. A field says once what it reads, how that becomes JSON, and how it is documented; the select list, the
 * writer and the schema of a resource (resource.ts) follow from its fields.
 *
 * The expressions of a field are SQL over a row called `p`: `p.memo`, `coalesce(p.size, length(p.bytes))`.
 */
import { encodeAlias } from '../../ledger/alias.ts';
import { formatEntityId } from '../../ledger/entity-id.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import type { JsonSchema } from '../route.ts';
import { entityIdSchema, int64Schema, keySchema, nullableTimestampSchema, timestampSchema } from '../schemas.ts';
import {
  type CellPut,
  cellText,
  type GivenPut,
  type OneCellPut,
  packedBounds,
  packedRows,
  putBase64,
  putEntityId,
  putFlag,
  putName,
  putPlain,
  putPlainFlag,
  putQuoted,
  putText,
  putTimestamp,
} from './cells.ts';
import type { Cells, Field, Fields, Related, RelatedRange } from './field-type.ts';
import { type JsonBytes, literalBytes } from './json-bytes.ts';
import { putKey } from './key-cell.ts';
import { expressionsOf, type MemberWriter, memberWriter, positionsOf } from './writer.ts';

const described = (schema: JsonSchema, description: string | undefined): JsonSchema =>
  description === undefined ? schema : { ...schema, description };

/** A field made of one expression whose cell is written as it came. */
const written = (sql: string, schema: JsonSchema, put: OneCellPut): Field => ({
  cells: { cell: sql },
  write: { kind: 'cells', put },
  schema,
});

/** A field made of one expression by a function of its own, which gets the empty text for null. */
export const field = (sql: string, schema: JsonSchema, json: (cell: string) => string): Field =>
  written(sql, schema, putText(json));

const textsOfCells = (names: readonly string[], bytes: Buffer, bounds: readonly number[]): Cells => {
  const texts: Record<string, string> = {};
  for (let i = 0; i < names.length; i++) {
    texts[names[i] as string] = cellText(bytes, bounds[2 * i] as number, bounds[2 * i + 1] as number);
  }
  return texts;
};

/** A field made of several expressions: `derived({ day: 'p.day', node: 'p.node' }, schema, ({ day, node }) => ...)`. */
export const derived = <K extends string>(
  cells: Cells<K>,
  schema: JsonSchema,
  json: (cells: Cells<K>) => string,
): Field => {
  const names = Object.keys(cells);
  return putting(cells, schema, (out, bytes, ...bounds) =>
    out.text(json(textsOfCells(names, bytes, bounds) as Cells<K>)),
  );
};

/** As `derived`, from the bounds of the cells in their order. */
export const putting = (cells: Cells, schema: JsonSchema, put: CellPut): Field => ({
  cells,
  write: { kind: 'cells', put },
  schema,
});

/** As `derived`, from what the answer is made of beside its rows, too. */
export const given = <K extends string, Given>(
  cells: Cells<K>,
  schema: JsonSchema,
  json: (cells: Cells<K>, given: Given) => string,
): Field => {
  const names = Object.keys(cells);
  return puttingGiven<Given>(cells, schema, (out, value, bytes, ...bounds) =>
    out.text(json(textsOfCells(names, bytes, bounds) as Cells<K>, value)),
  );
};

/** As `putting`, from what the answer is made of beside its rows, too. */
export const puttingGiven = <Given>(
  cells: Cells,
  schema: JsonSchema,
  put: (out: JsonBytes, given: Given, bytes: Buffer, ...bounds: number[]) => void,
): Field => ({ cells, write: { kind: 'given', put: put as GivenPut }, schema });

/** A field that may be null, as the schema says then. */
export const nullable = (of: Field): Field => ({ ...of, schema: { ...of.schema, type: [of.schema.type, 'null'] } });

/** A field that is left out of the answer when its writer gives the empty text. */
export const optional = (of: Field): Field => ({ ...of, isOptional: true });

/** `"shard.realm.num"`, or null for the empty text and for the id 0, which stands for none. */
export const entityIdJson = (id: string): string => (id === '' || id === '0' ? 'null' : `"${formatEntityId(id)}"`);
export const timestampJson = (nanos: string): string => (nanos === '' ? 'null' : `"${formatTimestamp(nanos)}"`);
export const numberJson = (digits: string): string => digits || 'null';
/** The bytes of the text of a cell; null for the empty text. */
export const bytesOf = (cell: string): Buffer | null => (cell === '' ? null : Buffer.from(cell.slice(2), 'hex'));

const putId = putEntityId(putText(entityIdJson));
/** Nanoseconds as `"seconds.nanoseconds"`, or null. */
const putTime = putTimestamp(putText(timestampJson));

/** The id of an entity; null for 0 too. */
export const entityId = (sql: string, description?: string): Field =>
  written(sql, described(entityIdSchema, description), putId);

/** A 64-bit integer, written as a JSON number. */
export const int64 = (sql: string, description: string, extra: JsonSchema = {}): Field =>
  written(sql, int64Schema(description, extra), putPlain);

/** A 32-bit integer. */
export const int32 = (sql: string, extra: JsonSchema = {}): Field =>
  written(sql, { type: 'integer', format: 'int32', ...extra }, putPlain);

/** A 64-bit integer written as a string. */
export const digits = (sql: string, description: string): Field =>
  written(sql, { type: ['string', 'null'], pattern: '^-?\\d+$', description }, putQuoted);

export const flag = (sql: string, description?: string): Field =>
  written(sql, described({ type: 'boolean' }, description), putFlag);

/** A flag that counts as false where it is null. */
export const plainFlag = (sql: string, description?: string): Field =>
  written(sql, described({ type: 'boolean' }, description), putPlainFlag);

/** Nanoseconds as `"seconds.nanoseconds"`. */
export const timestamp = (sql: string, description?: string): Field =>
  written(sql, described(timestampSchema, description), putTime);

export const nullableTimestamp = (sql: string, description?: string): Field =>
  written(sql, described(nullableTimestampSchema, description), putTime);

/** A text of any characters. */
export const text = (sql: string, schema: JsonSchema = {}): Field =>
  written(`to_json(${sql})`, { type: 'string', ...schema }, putPlain);

/** A text that needs no escapes: hex, digits and dots, the label of an enum. */
export const plainText = (sql: string, schema: JsonSchema = {}): Field =>
  written(sql, { type: 'string', ...schema }, putQuoted);

/** Bytes in base64 with padding. */
export const base64 = (sql: string, description: string): Field =>
  written(sql, { type: ['string', 'null'], contentEncoding: 'base64', description }, putBase64);

/** Bytes in base32 without padding, as aliases are written. */
export const base32 = (sql: string, description: string): Field =>
  field(sql, { type: ['string', 'null'], pattern: '^[A-Z2-7]*$', description }, (cell) =>
    cell === '' ? 'null' : `"${encodeAlias(Buffer.from(cell.slice(2), 'hex'))}"`,
  );

/** A serialized `Key` as `{"_type","key"}`. */
export const key = (sql: string, description?: string): Field =>
  written(sql, described(keySchema, description), putKey);

/** A small number whose name is shown. */
export const nameOfCode = (sql: string, schema: JsonSchema, name: (code: number) => string): Field =>
  written(sql, schema, putName(name));

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

/** The entries of a list: rows of another table, or what SQL packs into one cell. */
export interface ListEntries {
  readonly schema: JsonSchema;
  /** SQL expressions over a row `p`, in the order of the cells. */
  readonly expressions: readonly string[];
  /** An aggregate over rows `p` that packs them into a cell; null without rows. */
  packed(orderBy: string): string;
  /** Writes the list that is packed in a cell; `[]` of the empty cell. */
  readonly put: OneCellPut;
  /** Writes the list of rows of a table. */
  putRows(out: JsonBytes, rows: RelatedRange): void;
}

const emptyList = literalBytes('[]');
const keyBounds = 2;
const listStart = 0x5b;
const listEnd = 0x5d;
const objectStart = 0x7b;
const objectEnd = 0x7d;

const putEntry = (out: JsonBytes, bytes: Buffer, bounds: ArrayLike<number>, at: number, write: MemberWriter): void => {
  out.byte(objectStart);
  write(out, bytes, bounds, at);
  out.byte(objectEnd);
};

/** Entries with these fields, whose expressions are over the rows `p` of another table or an aggregate. */
export const listEntries = (fields: Fields, description?: string): ListEntries => {
  const expressions = expressionsOf(fields);
  const write = memberWriter(fields, positionsOf(expressions));
  const boundsOfRow = 2 * expressions.length;
  /** Those of the row that is written. Before its cells stands its key. */
  const rowBounds = new Int32Array(keyBounds + boundsOfRow);
  return {
    schema: objectSchemaOf(fields, description),
    expressions,
    packed: (orderBy) => packedRows(expressions, orderBy),
    put: (out, bytes, start, end) => {
      if (start === end) {
        out.literal(emptyList);
        return;
      }
      const bounds = packedBounds(bytes, start, end);
      out.byte(listStart);
      for (let at = 0; at < bounds.length; at += boundsOfRow) {
        if (at > 0) out.comma();
        putEntry(out, bytes, bounds, at, write);
      }
      out.byte(listEnd);
    },
    putRows: (out, { table, from, to }) => {
      out.byte(listStart);
      for (let row = from; row < to; row++) {
        if (row > from) out.comma();
        table.locate(row, rowBounds);
        putEntry(out, table.sources[row] as Buffer, rowBounds, keyBounds, write);
      }
      out.byte(listEnd);
    },
  };
};

/** Schema of a list. */
export const listSchema = (items: JsonSchema, description?: string): JsonSchema =>
  described({ type: 'array', items }, description);

/** A list from an expression that packs its entries. */
export const list = (sql: string, of: ListEntries, description?: string): Field =>
  written(sql, listSchema(of.schema, description), of.put);

interface RelatedListOptions {
  /** Left out: all that there are. */
  readonly isShown?: (related: Related) => boolean;
}

/**
 * The rows of another table that belong to a row of the resource, by its `relatedBy`.
 * @param orderBy of the entries, over a row `p` of that table
 */
export const relatedList = (
  table: string,
  orderBy: string,
  of: ListEntries,
  description: string,
  { isShown = () => true }: RelatedListOptions = {},
): Field => ({
  cells: {},
  write: {
    kind: 'related',
    put: (out, related) => {
      const range = related.rangeOf(table);
      if (range !== undefined && isShown(related)) of.putRows(out, range);
      else out.literal(emptyList);
    },
  },
  schema: listSchema(of.schema, description),
  related: { table, expressions: of.expressions, orderBy },
});

/** As a field of `relatedList`, left out of the answer where there are no rows. */
export const optionalRelatedList = (
  ...[table, orderBy, of, description]: [string, string, ListEntries, string]
): Field => ({
  ...relatedList(table, orderBy, of, description),
  isOptional: true,
  write: {
    kind: 'related',
    put: (out, related) => {
      const range = related.rangeOf(table);
      if (range !== undefined) of.putRows(out, range);
    },
  },
});
