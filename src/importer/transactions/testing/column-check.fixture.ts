/** Whether a value can be written into its column, so that no transaction can stop the import there. */
import type { Column } from '../../../database/column.ts';
import { tableNamed } from '../../../database/table.ts';
import type { Handed } from './handled.fixture.ts';

const isInteger = (value: unknown, bits: number): boolean =>
  Number.isInteger(value) && (value as number) >= -(2 ** (bits - 1)) && (value as number) < 2 ** (bits - 1);

const isInt8 = (value: unknown): boolean => typeof value === 'bigint' && BigInt.asIntN(64, value) === value;

const isText = (value: unknown): boolean => typeof value === 'string' && !value.includes('\0');

/** Most characters that a `character varying(n)` takes. */
const lengthLimit = ({ type }: Column): number => Number(/\((\d+)\)$/.exec(type)?.[1] ?? Number.MAX_SAFE_INTEGER);

const isJson = (value: unknown): boolean => {
  if (!isText(value) || (value as string).includes('\\u0000')) return false;
  try {
    JSON.parse(value as string);
    return true;
  } catch {
    return false;
  }
};

const isRange = (value: unknown): boolean => isInt8((value as { readonly lower: bigint }).lower);

const isArrayOf = (value: unknown, isElement: (element: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isElement);

const fits = (value: unknown, column: Column): boolean => {
  if (value === null) return true;
  switch (column.wire) {
    case 'bool':
      return typeof value === 'boolean';
    case 'int2':
      return isInteger(value, 16);
    case 'int4':
      return isInteger(value, 32);
    case 'int8':
      return isInt8(value);
    case 'text':
      return isText(value) && [...(value as string)].length <= lengthLimit(column);
    case 'bytea':
      return value instanceof Uint8Array;
    case 'jsonb':
      return isJson(value);
    case 'int8range':
      return isRange(value);
    case 'int2[]':
      return isArrayOf(value, (element) => isInteger(element, 16));
    case 'int8[]':
      return isArrayOf(value, isInt8);
    default:
      return false;
  }
};

/** Columns of a handed row that cannot be written, as `table.column = value`; unknown columns too. */
export const unwritableColumns = ({ table, row }: Handed): string[] => {
  const { columns } = tableNamed(table);
  return Object.entries(row).flatMap(([name, value]) => {
    const column = columns[name];
    return column !== undefined && fits(value, column) ? [] : [`${table}.${name} = ${String(value)}`];
  });
};
