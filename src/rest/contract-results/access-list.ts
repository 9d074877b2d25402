/** The access list of an Ethereum transaction as the specification shows it: RLP in hex (EIP-2930). */
import { type NestedUint8Array, RLP } from '@ethereumjs/rlp';
import { toHex } from '../../ledger/bytes.ts';

interface AccessListEntry {
  readonly address: string;
  readonly storage_keys: readonly string[];
}

const bytesOf = (hex: string): Uint8Array => Buffer.from(hex.replace(/^0x/, ''), 'hex');

const entryItems = ({ address, storage_keys }: AccessListEntry): NestedUint8Array => [
  bytesOf(address),
  storage_keys.map(bytesOf),
];

/**
 * Hex of the RLP of a list that the database keeps as JSON; `"0x"` for no or an empty list.
 * @param text of a jsonb column
 */
export const accessListHexJson = (text: string): string => {
  const list = text.startsWith('[') ? (JSON.parse(text) as readonly AccessListEntry[]) : [];
  return list.length === 0 ? '"0x"' : `"0x${toHex(RLP.encode(list.map(entryItems)))}"`;
};
