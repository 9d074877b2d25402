import { sha384 } from '../ledger/hash.ts';
import type { RecordFileBody } from './record-file-content.ts';
import { readMarkedItems, V2_HEADER_BYTES } from './record-file-v1.ts';
import type { StreamFileName } from './stream-file-name.ts';

/** Hash of a v2 record file: header, then the hash of what follows it. */
export const fileHashV2 = (content: Uint8Array): Uint8Array =>
  sha384(content.subarray(0, V2_HEADER_BYTES), sha384(content.subarray(V2_HEADER_BYTES)));

/**
 * Record file v2: the layout of v1 under another hash.
 * @throws KagamiError STREAM_TRUNCATED, STREAM_OVERSIZED, STREAM_MALFORMED.
 */
export const readRecordFileV2 = (name: StreamFileName, content: Uint8Array): RecordFileBody =>
  readMarkedItems(name, content, 2, fileHashV2(content));
