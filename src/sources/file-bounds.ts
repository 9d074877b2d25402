import { MAX_SIGNATURE_FILE_BYTES } from '../streams/signature-file.ts';

const SIGNATURE = /_sig(?:\.gz)?$/;

/** How many bytes of a file are read at most: signatures, of which many are read at once, are far smaller than data. */
export const maxBytesOf = (name: string, maxFileBytes: number): number =>
  SIGNATURE.test(name) ? Math.min(maxFileBytes, MAX_SIGNATURE_FILE_BYTES) : maxFileBytes;
