/**
 * EVM addresses as verification writes them: with the mixed-case check sum of
 * [EIP-55](https://eips.ethereum.org/EIPS/eip-55).
 */
import { fromHex, toHex } from '../../ledger/bytes.ts';
import { EVM_ADDRESS_LENGTH } from '../../ledger/evm-address.ts';
import { keccak256 } from '../../ledger/hash.ts';

/** `0x` and 40 hex digits of 20 bytes. */
export const checksumAddress = (address: Uint8Array): string => {
  const digits = toHex(address);
  const hash = toHex(keccak256(Buffer.from(digits, 'ascii')));
  return `0x${[...digits].map((digit, i) => (Number.parseInt(hash[i] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit)).join('')}`;
};

/** The 20 bytes of a hex text with optional 0x in any case; undefined for anything else. */
export const addressBytes = (text: string): Uint8Array | undefined => {
  const bytes = fromHex(text);
  return bytes?.length === EVM_ADDRESS_LENGTH ? bytes : undefined;
};
