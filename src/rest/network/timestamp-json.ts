import { formatTimestamp } from '../../ledger/timestamp.ts';

/** A timestamp from digits of nanoseconds as JSON; the beginning of time is `"0.0"` at these endpoints. */
export const timestampJson = (nanos: string | null): string => {
  if (nanos === null) return 'null';
  return nanos === '0' ? '"0.0"' : `"${formatTimestamp(nanos)}"`;
};
