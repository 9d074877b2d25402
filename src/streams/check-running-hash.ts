import { toHex } from '../ledger/bytes.ts';
import { equalBytes } from './equal-bytes.ts';
import { streamError } from './stream-error.ts';

/** @throws KagamiError STREAM_RUNNING_HASH_MISMATCH when the items don't lead from start to end running hash. */
export const checkRunningHash = (file: string, computed: Uint8Array, stated: Uint8Array): void => {
  if (equalBytes(computed, stated)) return;
  throw streamError('STREAM_RUNNING_HASH_MISMATCH', {
    file,
    rule: `the items lead to running hash ${toHex(computed)}, the file states ${toHex(stated)}`,
  });
};
