import type { StreamFileName } from '../streams/stream-file-name.ts';
import type { NodeListing } from './stream-source.ts';

/**
 * The first `limit` record files among names of record and signature files.
 * @param names in stream order
 * @param more there are further names behind the last one
 */
export const pageOfNames = (names: readonly StreamFileName[], limit: number, more: boolean): NodeListing => {
  const files: { base: string; nanos: bigint; recordNames: string[]; signatureNames: string[] }[] = [];
  for (const { base, nanos, kind, name } of names) {
    let file = files.at(-1);
    if (file?.base !== base) {
      if (files.length === limit) return { files, more: true };
      file = { base, nanos, recordNames: [], signatureNames: [] };
      files.push(file);
    }
    (kind === 'record' ? file.recordNames : file.signatureNames).push(name);
  }
  return { files, more };
};
