/** A consensus timestamp: nanoseconds since the Unix epoch, kept as a signed 64-bit integer. */
import { MAX_INT64, MIN_INT64 } from './int64.ts';
export type Nanos = bigint;

export const NANOS_PER_SECOND = 1_000_000_000n;
export const MAX_NANOS: Nanos = MAX_INT64;

/** Nanoseconds of a protobuf Timestamp, saturating at the ends of int64 as the reference does. */
export const nanosOf = (timestamp: { readonly seconds: bigint; readonly nanos: number }): Nanos => {
  const nanos = timestamp.seconds * NANOS_PER_SECOND + BigInt(timestamp.nanos);
  if (nanos > MAX_NANOS) return MAX_NANOS;
  return nanos < MIN_INT64 ? MIN_INT64 : nanos;
};

/** `seconds.nanoseconds` with nine fraction digits, from nanoseconds as bigint or decimal digits. */
export const formatTimestamp = (nanos: Nanos | string): string => {
  const digits = typeof nanos === 'string' ? nanos : nanos.toString();
  const split = digits.length - 9;
  if (split > 0 && digits.charCodeAt(0) !== 45) return `${digits.slice(0, split)}.${digits.slice(split)}`;
  if (digits.charCodeAt(0) === 45) return `-${formatTimestamp(digits.slice(1))}`;
  return `0.${digits.padStart(9, '0')}`;
};

const TIMESTAMP_TEXT = /^(\d{1,10})(?:\.(\d{1,9}))?$/;

/** Nanoseconds of `seconds` or `seconds.fraction` (fraction padded on the right); undefined for any other text. */
export const parseTimestamp = (text: string): Nanos | undefined => {
  const match = TIMESTAMP_TEXT.exec(text);
  if (match === null) return undefined;
  return BigInt(match[1] as string) * NANOS_PER_SECOND + BigInt((match[2] ?? '').padEnd(9, '0'));
};

const STREAM_NAME = /^(\d{4}-\d{2}-\d{2})T(\d{2})_(\d{2})_(\d{2})(?:\.(\d{1,9}))?Z/;

/** Consensus time in a stream file name (`2022-07-13T08_46_11.304284003Z…`); undefined when it has none. */
export const streamNameToNanos = (name: string): Nanos | undefined => {
  const match = STREAM_NAME.exec(name);
  if (match === null) return undefined;
  const milliseconds = Date.parse(`${match[1]}T${match[2]}:${match[3]}:${match[4]}Z`);
  if (Number.isNaN(milliseconds)) return undefined;
  return BigInt(milliseconds / 1000) * NANOS_PER_SECOND + BigInt((match[5] ?? '').padEnd(9, '0'));
};

/** The time part of a stream file name, always with nine fraction digits: `2022-07-13T08_46_11.304284003Z`. */
export const nanosToStreamName = (nanos: Nanos): string => {
  const seconds = nanos / NANOS_PER_SECOND;
  const iso = new Date(Number(seconds) * 1000).toISOString().slice(0, 19).replaceAll(':', '_');
  return `${iso}.${(nanos % NANOS_PER_SECOND).toString().padStart(9, '0')}Z`;
};

const NANOS_PER_DAY = 86_400n * NANOS_PER_SECOND;

/** Days since the Unix epoch in UTC, as staking periods count them. */
export const epochDayOf = (nanos: Nanos): bigint => {
  const day = nanos / NANOS_PER_DAY;
  return nanos < 0n && nanos % NANOS_PER_DAY !== 0n ? day - 1n : day;
};

/** Nanoseconds of the start of the UTC month that lies `monthsBefore` months before the one of `nanos`; negative: after it. */
export const startOfMonth = (nanos: Nanos, monthsBefore: number): Nanos => {
  const date = new Date(Number(nanos / NANOS_PER_SECOND) * 1000);
  return BigInt(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - monthsBefore)) * 1_000_000n;
};
