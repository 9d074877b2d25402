/**
 * Rows as statement parameters: one PostgreSQL array for each column, in binary form. For rows that a statement reads
 * (deltas, staged versions) this costs one round trip, where a temporary table would cost several and an emptying at
 * every commit.
 */
import type { Column, WireType } from '../../database/column.ts';
import { type CopyBuffer, createCopyBuffer, reserve } from '../../database/copy-buffer.ts';
import { encodings } from '../../database/encoders.ts';

/** A wire type whose arrays are one-dimensional, and the built-in number of that element type. */
interface ElementType {
  readonly name: string;
  readonly oid: number;
}

const TEXT: ElementType = { name: 'text', oid: 25 };

/** Columns that are arrays themselves travel as the text of an array. */
const elementTypes: Readonly<Record<WireType, ElementType>> = {
  bool: { name: 'boolean', oid: 16 },
  int2: { name: 'smallint', oid: 21 },
  int4: { name: 'integer', oid: 23 },
  int8: { name: 'bigint', oid: 20 },
  text: TEXT,
  bytea: { name: 'bytea', oid: 17 },
  jsonb: { name: 'jsonb', oid: 3802 },
  int8range: { name: 'int8range', oid: 3926 },
  timestamptz: { name: 'timestamptz', oid: 1184 },
  'int2[]': TEXT,
  'int4[]': TEXT,
  'int8[]': TEXT,
  'bytea[]': TEXT,
};

const isArray = (wire: WireType): boolean => wire.endsWith('[]');

/** The type of the array parameter that carries a column. */
export const parameterType = (column: Column): string => `${elementTypes[column.wire].name}[]`;

/** What turns an element of the parameter into the column's type; empty when nothing has to. */
export const elementCast = (column: Column): string => {
  const { wire, type } = column;
  return isArray(wire) || wire === 'text' ? `::${type}` : '';
};

type AnyRow = Readonly<Record<string, unknown>>;

const FIRST_SIZE = 65_536;
/** Dimensions, whether NULLs occur, element type, length and lower bound. */
const ARRAY_HEADER = 20;

const appendColumn = (buffer: CopyBuffer, rows: readonly AnyRow[], name: string, column: Column): boolean => {
  const { wire } = column;
  const { encode } = encodings[isArray(wire) ? 'text' : wire];
  reserve(buffer, ARRAY_HEADER);
  const start = buffer.position;
  buffer.position += ARRAY_HEADER;
  let given = 0;
  for (const row of rows) {
    const value = row[name];
    reserve(buffer, 32);
    if (value === undefined || value === null) {
      buffer.view.setInt32(buffer.position, -1);
      buffer.position += 4;
    } else {
      given++;
      encode(buffer, (isArray(wire) ? `{${(value as readonly unknown[]).join(',')}}` : value) as never, 0);
    }
  }
  if (given === 0) {
    buffer.position = start;
    return false;
  }
  const { view } = buffer;
  view.setInt32(start, 1);
  view.setInt32(start + 4, given < rows.length ? 1 : 0);
  view.setInt32(start + 8, elementTypes[wire].oid);
  view.setInt32(start + 12, rows.length);
  view.setInt32(start + 16, 1);
  return true;
};

/**
 * One parameter for each column; null for a column that no row gives, of which PostgreSQL then makes NULLs.
 * @throws RangeError when a value does not fit its column
 */
export const arrayParameters = (
  rows: readonly AnyRow[],
  columns: readonly string[],
  described: Readonly<Record<string, Column>>,
): (Buffer | null)[] => {
  const buffer = createCopyBuffer(FIRST_SIZE);
  const bounds: ({ readonly start: number; readonly end: number } | null)[] = [];
  for (const name of columns) {
    const start = buffer.position;
    const isGiven = appendColumn(buffer, rows, name, described[name] as Column);
    bounds.push(isGiven ? { start, end: buffer.position } : null);
  }
  return bounds.map((part) => (part === null ? null : buffer.bytes.subarray(part.start, part.end)));
};
