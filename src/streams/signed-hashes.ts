import { equalBytes } from './equal-bytes.ts';
import type { RecordFile } from './record-file-content.ts';
import { streamError } from './stream-error.ts';

/**
 * Refuses a record file whose hashes are not the ones that nodes signed. Files v1 and v2 have no metadata hash, and then
 * none may be signed either.
 * @throws KagamiError STREAM_FILE_HASH_MISMATCH, STREAM_METADATA_HASH_MISMATCH.
 */
export const checkSignedHashes = (
  file: RecordFile,
  signed: { readonly fileHash: Uint8Array; readonly metadataHash: Uint8Array | null },
): void => {
  if (!equalBytes(file.fileHash, signed.fileHash)) {
    const rule = 'its hash is not the one that nodes signed';
    throw streamError('STREAM_FILE_HASH_MISMATCH', { file: file.name, rule });
  }
  const { metadataHash } = file;
  const same =
    metadataHash === null || signed.metadataHash === null
      ? metadataHash === signed.metadataHash
      : equalBytes(metadataHash, signed.metadataHash);
  if (!same) {
    const rule = 'its metadata hash is not the one that nodes signed';
    throw streamError('STREAM_METADATA_HASH_MISMATCH', { file: file.name, rule });
  }
};
