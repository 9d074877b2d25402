import { field, nullable, object } from '../../api/resource/field.ts';
import type { Field } from '../../api/resource/field-type.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { openRange, timestamp } from './schemas.ts';

/** A timestamp from a cell of nanoseconds as JSON; the beginning of time is `"0.0"` at these endpoints. */
export const timestampJson = (nanos: string): string => {
  if (nanos === '') return 'null';
  return nanos === '0' ? '"0.0"' : `"${formatTimestamp(nanos)}"`;
};

/** Nanoseconds as endpoints of the `java` flavour show them. */
export const javaTimestamp = (sql: string): Field => field(sql, timestamp, timestampJson);

/** `from` and `to` of a time that may still be open, as endpoints of the `java` flavour show it. */
export const javaTimestampRange = (from: string, to: string): Field => ({
  ...object({ from: javaTimestamp(from), to: nullable(javaTimestamp(to)) }),
  schema: openRange,
});
