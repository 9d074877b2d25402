/** Addresses of entities in the EVM as REST shows them. */
import { toHex } from '../../ledger/bytes.ts';
import { decodeEntityId } from '../../ledger/entity-id.ts';
import { longZeroAddress } from '../../ledger/evm-address.ts';

/**
 * The address of an entity as a JSON string: its own, else the one that holds its num.
 * @param evmAddress `entity.evm_address`; null or empty when it has none, or is not known
 * @param id digits of the encoded id
 */
export const evmAddressJson = (evmAddress: Uint8Array | null, id: string): string =>
  `"0x${toHex(evmAddress === null || evmAddress.length === 0 ? longZeroAddress(decodeEntityId(BigInt(id)).num) : evmAddress)}"`;
