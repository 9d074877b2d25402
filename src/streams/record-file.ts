/**
 * This module turns bytes into proven record items: record files v1, v2, v5 and v6, their signature and sidecar
 * files, all hashes, signatures, consensus and address books. It is pure: it opens no file, socket or database, and it
 * doesn't decode what transactions mean.
 */

import { toHex } from '../ledger/bytes.ts';
import { type Content, contentOf, MAX_CONTENT_BYTES } from './compression.ts';
import { equalBytes } from './equal-bytes.ts';
import type { RecordFile, RecordFileBody } from './record-file-content.ts';
import { readRecordFileV1 } from './record-file-v1.ts';
import { readRecordFileV2 } from './record-file-v2.ts';
import { readRecordFileV5 } from './record-file-v5.ts';
import { readRecordFileV6 } from './record-file-v6.ts';
import { streamError } from './stream-error.ts';
import { parseStreamFileName, type StreamFileName } from './stream-file-name.ts';

export interface ReadRecordFileOptions {
  /** Refuses content above this many bytes, 256 MiB by default. */
  readonly maxContentBytes?: number;
}

/**
 * Reads a record file of any version and checks everything that the file alone can prove: layout, bounds, name, and for
 * v5 and v6 the running hash over every item. It doesn't check signatures or the chain.
 * @throws KagamiError STREAM_WRONG_NAME, STREAM_TRUNCATED, STREAM_OVERSIZED, STREAM_BAD_COMPRESSION,
 * STREAM_UNKNOWN_VERSION, STREAM_MALFORMED, STREAM_TRAILING_BYTES, STREAM_RUNNING_HASH_MISMATCH.
 */
export const readRecordFile = (name: string, bytes: Uint8Array, options: ReadRecordFileOptions = {}): RecordFile => {
  const parsedName = parseStreamFileName(name);
  if (parsedName?.kind !== 'record') {
    throw streamError('STREAM_WRONG_NAME', { file: name, rule: 'not the name of a record file' });
  }
  const content = contentOf(name, bytes, options.maxContentBytes ?? MAX_CONTENT_BYTES);
  return recordFileOf(parsedName, content, bytes.length);
};

/**
 * Reads the content of a record file whose name is known already; `size` is that of the file as it was read, in bytes.
 * @throws KagamiError as `readRecordFile`, but for STREAM_BAD_COMPRESSION and STREAM_OVERSIZED of compressed content.
 */
export const recordFileOf = (name: StreamFileName, content: Content, size: number): RecordFile => ({
  name: name.name,
  size,
  uncompressedSize: content.bytes.length,
  compression: content.compression,
  ...readBody(name, content.bytes),
});

const readBody = (name: StreamFileName, content: Uint8Array): RecordFileBody => {
  const version = versionOf(name.name, content);
  switch (version) {
    case 1:
      return readRecordFileV1(name, content);
    case 2:
      return readRecordFileV2(name, content);
    case 5:
      return readRecordFileV5(name, content);
    case 6:
      return readRecordFileV6(name, content);
    default:
      throw streamError('STREAM_UNKNOWN_VERSION', {
        file: name.name,
        offset: 0,
        rule: `record file version ${version}`,
      });
  }
};

const versionOf = (file: string, content: Uint8Array): number => {
  if (content.length < 4) {
    throw streamError('STREAM_TRUNCATED', { file, offset: 0, rule: `${content.length} bytes hold no version` });
  }
  return new DataView(content.buffer, content.byteOffset, 4).getInt32(0);
};

/**
 * Refuses a record file that doesn't follow `previousHash` (the `hash` of the file before, 48 bytes).
 * @throws KagamiError STREAM_CHAIN_BROKEN.
 */
export const checkChain = (file: RecordFile, previousHash: Uint8Array): void => {
  if (equalBytes(file.previousHash, previousHash)) return;
  throw streamError('STREAM_CHAIN_BROKEN', {
    file: file.name,
    rule: `names ${toHex(file.previousHash)} as previous hash, the previous file has ${toHex(previousHash)}`,
  });
};
