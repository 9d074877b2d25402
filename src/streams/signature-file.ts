import { ByteReader } from './byte-reader.ts';
import { contentOf } from './compression.ts';
import { readHashMessage } from './hash-message.ts';
import { readHashObject } from './hash-object.ts';
import { HASH_BYTES } from './running-hash.ts';
import { streamError } from './stream-error.ts';
import { parseStreamFileName } from './stream-file-name.ts';
import { WireReader } from './wire.ts';

/** An RSA signature over a 48-byte SHA-384. */
export interface SignedHash {
  readonly hash: Uint8Array;
  readonly signature: Uint8Array;
}

export interface SignatureFile {
  readonly name: string;
  /** First byte: 4 signs record files v1 and v2, 5 and 6 the record files of their number. */
  readonly version: 4 | 5 | 6;
  readonly file: SignedHash;
  /** Signed metadata hash of v5 and v6. */
  readonly metadata: SignedHash | null;
}

/** Signature objects carry 101 minus their length as a checksum, and type 1 for SHA384withRSA. */
export const SIGNATURE_CLASS_ID = 0x13dc4b399b245c69n;
export const SIGNATURE_CLASS_VERSION = 1;
export const SHA384_WITH_RSA = 1;
export const SIGNATURE_CHECKSUM_BASE = 101;
export const V4_SIGNATURE_MARKER = 3;

const MAX_SIGNATURE_BYTES = 1024;
/** Compressed or not. */
export const MAX_SIGNATURE_FILE_BYTES = 16 * 1024;
const PRE_RELEASE_V5 = Buffer.from('0000000500000001', 'hex');

/**
 * Whether `bytes` is a v5 signature file as written before that format was released (late 2020): a version of four
 * bytes instead of one. No network's nodes were ever verified by them; they count as no signature at all.
 */
export const isPreReleaseSignature = (bytes: Uint8Array): boolean =>
  bytes.length >= PRE_RELEASE_V5.length && PRE_RELEASE_V5.equals(bytes.subarray(0, PRE_RELEASE_V5.length));

/**
 * Reads a record stream signature file of any layout.
 * @throws KagamiError STREAM_WRONG_NAME, STREAM_TRUNCATED, STREAM_OVERSIZED, STREAM_BAD_COMPRESSION,
 * STREAM_UNKNOWN_VERSION, STREAM_MALFORMED, STREAM_TRAILING_BYTES.
 */
export const readSignatureFile = (name: string, bytes: Uint8Array): SignatureFile => {
  const parsedName = parseStreamFileName(name);
  if (parsedName?.kind !== 'signature') {
    throw streamError('STREAM_WRONG_NAME', { file: name, rule: 'not the name of a signature file' });
  }
  return readSignatureContent(parsedName.name, bytes);
};

/**
 * Reads a signature file of any stream, whatever its name; one of a compressed file may be compressed itself.
 * @throws KagamiError as `readSignatureFile`, but for STREAM_WRONG_NAME.
 */
export const readSignatureContent = (file: string, bytes: Uint8Array): SignatureFile => {
  const content = contentOf(file, bytes, MAX_SIGNATURE_FILE_BYTES).bytes;
  switch (content[0]) {
    case 4:
      return readV4(file, content);
    case 5:
      return readV5(file, content);
    case 6:
      return readV6(file, content);
    default:
      throw streamError('STREAM_UNKNOWN_VERSION', {
        file,
        offset: 0,
        rule: isPreReleaseSignature(content)
          ? 'signature file of the pre-release v5 layout'
          : `signature file version ${content[0]}`,
      });
  }
};

const readV4 = (name: string, content: Uint8Array): SignatureFile => {
  const reader = new ByteReader(content, name);
  reader.expectUint8(4, 'version');
  const hash = reader.slice(HASH_BYTES, 'file hash');
  reader.expectUint8(V4_SIGNATURE_MARKER, 'marker of the signature');
  const signature = reader.lengthPrefixed(MAX_SIGNATURE_BYTES, 'signature');
  reader.expectEnd();
  return { name, version: 4, file: { hash, signature }, metadata: null };
};

const readV5 = (name: string, content: Uint8Array): SignatureFile => {
  const reader = new ByteReader(content, name);
  reader.expectUint8(5, 'version');
  reader.expectInt32(1, 'object stream signature version');
  const file = readSignedHashObject(reader, 'file');
  const metadata = readSignedHashObject(reader, 'metadata');
  reader.expectEnd();
  return { name, version: 5, file, metadata };
};

const readSignedHashObject = (reader: ByteReader, what: string): SignedHash => {
  const hash = readHashObject(reader, `${what} hash`);
  reader.expectUint64(SIGNATURE_CLASS_ID, `class id of the ${what} signature`);
  reader.expectInt32(SIGNATURE_CLASS_VERSION, `class version of the ${what} signature`);
  reader.expectInt32(SHA384_WITH_RSA, `type of the ${what} signature`);
  const offset = reader.position;
  const length = reader.int32(`length of the ${what} signature`);
  if (length < 0 || length > MAX_SIGNATURE_BYTES) {
    throw streamError('STREAM_OVERSIZED', {
      file: reader.file,
      offset,
      rule: `length of the ${what} signature is ${length}, must be 0 to ${MAX_SIGNATURE_BYTES}`,
    });
  }
  reader.expectInt32(SIGNATURE_CHECKSUM_BASE - length, `checksum of the ${what} signature`);
  return { hash, signature: reader.slice(length, `${what} signature`) };
};

const readV6 = (name: string, content: Uint8Array): SignatureFile => {
  const fields = new WireReader(content, name, 1);
  let file: SignedHash | undefined;
  let metadata: SignedHash | undefined;
  while (fields.next()) {
    if (fields.field === 1 && file === undefined) file = readSignatureMessage(fields, 'file');
    else if (fields.field === 2 && metadata === undefined) metadata = readSignatureMessage(fields, 'metadata');
    else fields.refuse(`field ${fields.field} in a file of one file and one metadata signature`);
  }
  if (file === undefined || metadata === undefined) {
    throw streamError('STREAM_TRUNCATED', {
      file: name,
      offset: content.length,
      rule: 'file or metadata signature is missing',
    });
  }
  return { name, version: 6, file, metadata };
};

const readSignatureMessage = (fields: WireReader, what: string): SignedHash => {
  const message = fields.message();
  let type = 0;
  let length = 0;
  let checksum = 0;
  let signature: Uint8Array | undefined;
  let hash: Uint8Array | undefined;
  while (message.next()) {
    if (message.field === 1) type = message.int32();
    else if (message.field === 2) length = message.int32();
    else if (message.field === 3) checksum = message.int32();
    else if (message.field === 4) signature = message.slice();
    else if (message.field === 5) hash = readHashMessage(message, `${what} hash`);
  }
  if (signature === undefined || hash === undefined) fields.refuse(`the ${what} signature lacks signature or hash`);
  if (type !== SHA384_WITH_RSA) fields.refuse(`type of the ${what} signature is ${type}, must be ${SHA384_WITH_RSA}`);
  if (length !== signature.length || checksum !== SIGNATURE_CHECKSUM_BASE - length) {
    fields.refuse(`length or checksum of the ${what} signature is wrong`);
  }
  return { hash, signature };
};
