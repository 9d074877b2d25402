/** Bytes of the EVM as REST shows them: 32-byte words, and the addresses of entities. */
import { toHex } from '../../ledger/bytes.ts';
import { decodeEntityId } from '../../ledger/entity-id.ts';
import { longZeroAddress } from '../../ledger/evm-address.ts';

/** Hex with `0x`; no bytes and null are `"0x"`. */
export const bytesJson = (bytes: Uint8Array | null): string => (bytes === null ? '"0x"' : `"0x${toHex(bytes)}"`);

/** Digits of a 32-byte word. */
export const WORD_DIGITS = 64;

/** Hex with `0x`, zeros in front up to 32 bytes; longer values as they are. No bytes at all are a zero word. */
export const wordJson = (bytes: Uint8Array): string => `"0x${toHex(bytes).padStart(WORD_DIGITS, '0')}"`;

/**
 * The address of an entity as a JSON string: its own, else the one that holds its num.
 * @param evmAddress `entity.evm_address`; null or empty when it has none, or is not known
 * @param id digits of the encoded id
 */
export const evmAddressJson = (evmAddress: Uint8Array | null, id: string): string =>
  `"0x${toHex(evmAddress === null || evmAddress.length === 0 ? longZeroAddress(decodeEntityId(BigInt(id)).num) : evmAddress)}"`;
