/** How contracts may name accounts in arguments: by the address that the EVM knows them by, and by no other. */
import type { EntityId } from '../../ledger/entity-id.ts';
import type { AddressHex } from '../state/records.ts';
import { addressOf, isLongZero, type World } from '../state/world.ts';

export type Reference =
  | { readonly kind: 'account'; readonly id: EntityId }
  /** The number of an account that has an alias. */
  | { readonly kind: 'not-canonical' }
  | { readonly kind: 'unknown' };

const UNKNOWN: Reference = { kind: 'unknown' };

/** A number without an account is taken for one, which operations will not find. */
export const referenceOf = async (world: World, address: AddressHex): Promise<Reference> => {
  const id = await world.idAt(address);
  if (id === undefined) return UNKNOWN;
  const entity = isLongZero(address) ? await world.entity(id) : undefined;
  return entity === undefined || addressOf(entity) === address ? { kind: 'account', id } : { kind: 'not-canonical' };
};

/** Id of the account that an address names; undefined for an unknown alias, and for a number in place of an alias. */
export const canonicalIdAt = async (world: World, address: AddressHex): Promise<EntityId | undefined> => {
  const reference = await referenceOf(world, address);
  return reference.kind === 'account' ? reference.id : undefined;
};
