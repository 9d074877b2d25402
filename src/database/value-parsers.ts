/**
 * How column values arrive. Set on each client, never globally: other users of the driver in the same process keep
 * theirs. 64-bit values, numerics, ranges, timestamps and JSON stay the text that PostgreSQL sent.
 */
import pg from 'pg';

type Parse = (text: string) => unknown;

const keep: Parse = (text) => text;

/** Arrays of numbers have no quotes and no nesting: `{1,2,NULL}`. */
const parseFlatArray =
  (element: Parse): Parse =>
  (text) =>
    text === '{}'
      ? []
      : text
          .slice(1, -1)
          .split(',')
          .map((part) => (part === 'NULL' ? null : element(part)));

const parseBytea = (text: string): Buffer => Buffer.from(text.slice(2), 'hex');

const parseByteaArray: Parse = (text) =>
  text === '{}'
    ? []
    : text
        .slice(1, -1)
        .split(',')
        .map((part) => (part === 'NULL' ? null : Buffer.from(part.replace(/["\\x]/g, ''), 'hex')));

const parseTextArray = (pg.types.getTypeParser as (oid: number, format: 'text') => Parse)(1009, 'text');

const parsers: Readonly<Record<number, Parse>> = {
  16: (text) => text === 't',
  17: parseBytea,
  21: Number,
  23: Number,
  26: Number,
  700: Number,
  701: Number,
  1001: parseByteaArray,
  1005: parseFlatArray(Number),
  1007: parseFlatArray(Number),
  1009: parseTextArray,
  1015: parseTextArray,
  1016: parseFlatArray(keep),
};

/** The `types` of a client's configuration. */
export const valueParsers = {
  getTypeParser: (oid: number): Parse => parsers[oid] ?? keep,
} as unknown as pg.CustomTypesConfig;
