import type { ByteReader } from './byte-reader.ts';
import { HASH_BYTES } from './running-hash.ts';

/** A hash as v5 record and signature files serialize it: class id, class version, digest type, length, 48 bytes. */
export const HASH_CLASS_ID = 0xf422da83a251741en;
export const HASH_CLASS_VERSION = 1;
export const SHA384_DIGEST_TYPE = 0x58ff811b;
export const HASH_OBJECT_BYTES = 8 + 4 + 4 + 4 + HASH_BYTES;

/** @throws KagamiError STREAM_TRUNCATED, STREAM_MALFORMED. */
export const readHashObject = (reader: ByteReader, what: string): Uint8Array => {
  reader.expectUint64(HASH_CLASS_ID, `class id of ${what}`);
  reader.expectInt32(HASH_CLASS_VERSION, `class version of ${what}`);
  reader.expectInt32(SHA384_DIGEST_TYPE, `digest type of ${what}`);
  reader.expectInt32(HASH_BYTES, `length of ${what}`);
  return reader.slice(HASH_BYTES, what);
};
