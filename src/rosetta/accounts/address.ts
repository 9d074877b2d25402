/** How accounts are written: `shard.realm.num`, or 0x and the hex of the Key that is the account's alias. */
import { fromHex, toHex } from '../../ledger/bytes.ts';
import { type EntityId, parseEntityId } from '../../ledger/entity-id.ts';
import { Key } from '../../protobuf/generated/services/basic_types.ts';
import { rosettaError } from '../rosetta-error.ts';

export type Address =
  | { readonly kind: 'id'; readonly id: EntityId }
  /** `alias` is a serialized Key. */
  | { readonly kind: 'alias'; readonly alias: Uint8Array };

const ED25519_BYTES = 32;
const SECP256K1_BYTES = 33;

/** Whether the bytes are a Key of ed25519 or secp256k1, the kinds of alias that this interface can name. */
export const isKeyAlias = (bytes: Uint8Array): boolean => {
  try {
    const { key } = Key.decode(bytes);
    if (key?.$case === 'ed25519') return key.ed25519.length === ED25519_BYTES;
    return key?.$case === 'ECDSASecp256k1' && key.ECDSASecp256k1.length === SECP256K1_BYTES;
  } catch {
    return false;
  }
};

const FULL_ID = /^\d+\.\d+\.\d+$/;

/** @throws RosettaError 102 */
export const parseAddress = (text: string): Address => {
  if (text.includes('.')) {
    const id = FULL_ID.test(text) ? parseEntityId(text) : undefined;
    if (id === undefined) throw rosettaError('invalidAccount');
    return { kind: 'id', id };
  }
  const alias = text.startsWith('0x') ? fromHex(text) : undefined;
  if (alias === undefined || !isKeyAlias(alias)) throw rosettaError('invalidAccount');
  return { kind: 'alias', alias };
};

export const aliasAddress = (alias: Uint8Array): string => `0x${toHex(alias)}`;
