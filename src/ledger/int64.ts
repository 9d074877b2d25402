/** The bounds of a signed 64-bit integer, as protobuf, PostgreSQL and Java have them. */
export const MAX_INT64 = (1n << 63n) - 1n;
export const MIN_INT64 = -(1n << 63n);
