/** Pseudorandom numbers and bytes ([HIP-351](https://hips.hedera.com/hip/hip-351)). */
import type { Family } from '../record-parts.ts';

export const prng: Family = (view, parts) => {
  if (!view.isSuccessful) return;
  const entropy = view.output('utilPrng')?.utilPrng.entropy;
  if (entropy === undefined) parts.lacks('random number', 'the transaction has no output');
  else if (entropy.$case === 'prngBytes') parts.prng = entropy;
  // A record keeps the number as a signed one.
  else parts.prng = { $case: 'prngNumber', prngNumber: entropy.prngNumber | 0 };
};
