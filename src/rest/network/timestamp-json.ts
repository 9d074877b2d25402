import { field, nullable, object } from '../../api/resource/field.ts';
import type { Field } from '../../api/resource/field-type.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { openRange, timestamp } from './schemas.ts';

/** A timestamp from digits of nanoseconds as JSON; the beginning of time is `"0.0"` at these endpoints. */
export const timestampJson = (nanos: string | null): string => {
  if (nanos === null) return 'null';
  return nanos === '0' ? '"0.0"' : `"${formatTimestamp(nanos)}"`;
};

/** Nanoseconds as endpoints of the `java` flavour show them. */
export const javaTimestamp = (sql: string): Field =>
  field(sql, timestamp, (nanos) => timestampJson(nanos === '' ? null : nanos));

/** `from` and `to` of a time that may still be open, as endpoints of the `java` flavour show it. */
export const javaTimestampRange = (range: string): Field => ({
  ...object({ from: javaTimestamp(`lower(${range})`), to: nullable(javaTimestamp(`upper(${range})`)) }),
  schema: openRange,
});
