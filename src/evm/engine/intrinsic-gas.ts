/** Gas that a transaction costs before its first instruction. */

const TRANSACTION_GAS = 21_000;
const CREATION_GAS = 32_000;
const ZERO_BYTE_GAS = 4;
const NON_ZERO_BYTE_GAS = 16;
/** Of creations by contracts only, since Cancun: networks don't ask transactions for it. */
export const INIT_CODE_WORD_GAS = 2;

export const wordsOf = (bytes: number): number => Math.ceil(bytes / 32);

/** @param chargesForData whether the network takes anything for the bytes of `data` */
export const intrinsicGas = (data: Uint8Array, isCreation: boolean, chargesForData = true): number => {
  const gas = TRANSACTION_GAS + (isCreation ? CREATION_GAS : 0);
  if (!chargesForData) return gas;
  let zeros = 0;
  for (const byte of data) if (byte === 0) zeros += 1;
  return gas + zeros * ZERO_BYTE_GAS + (data.length - zeros) * NON_ZERO_BYTE_GAS;
};
