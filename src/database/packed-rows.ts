/**
 * Many rows in one value: what `record_send` makes of each, one after the other. A record is the count of its columns, and for
 * each of them the type's oid and the value.
 */
import { BinaryValues } from './binary-values.ts';

/** SQL of one value with all rows of a group: the columns of each in their order. Null when there is no row. */
export const packedRows = (columns: readonly string[], orderBy: string): string =>
  `string_agg(record_send(row(${columns.join(', ')})), '' order by ${orderBy})`;

const COUNT_BYTES = 4;
const OID_BYTES = 4;
const NO_BYTES = Buffer.alloc(0);

/** Reads packed rows: first `nextRow`, then each column of the row in its order. */
export class PackedRows {
  readonly values: BinaryValues;

  constructor(bytes: Buffer | null) {
    this.values = new BinaryValues(bytes ?? NO_BYTES, OID_BYTES);
  }

  /** Goes to the next row; false when there is none. */
  nextRow(): boolean {
    if (this.values.isAtEnd) return false;
    this.values.skip(COUNT_BYTES);
    return true;
  }
}
