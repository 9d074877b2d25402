/** EVM addresses as clients may write them. */
import { checksumAddress } from '../chain/address.ts';

const written = /^(?:0x)?([0-9a-fA-F]{40})$/;

/**
 * The address with its check sum; undefined for anything else. The prefix may be left out; letters of both cases must
 * already be a right check sum.
 */
export const checkSummedAddress = (text: string): string | undefined => {
  const digits = written.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const right = checksumAddress(Buffer.from(digits, 'hex'));
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isOneCase || right === `0x${digits}` ? right : undefined;
};
