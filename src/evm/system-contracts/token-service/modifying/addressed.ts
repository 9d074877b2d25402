/** Ids that address arguments stand for. */
import type { EntityId } from '../../../../ledger/entity-id.ts';
import type { AddressHex } from '../../../state/records.ts';
import { isLongZero, type World } from '../../../state/world.ts';
import { canonicalIdAt } from '../../canonical-reference.ts';

export const ZERO_ADDRESS: AddressHex = '0'.repeat(40);

/** Id that no entity has: operations refuse it like any unknown one. */
const NOBODY: EntityId = 0n;

/** Tokens are known by their long-zero address only. */
export const tokenIdOf = async (world: World, address: AddressHex): Promise<EntityId> =>
  isLongZero(address) ? ((await world.idAt(address)) ?? NOBODY) : NOBODY;

export const accountIdOf = async (world: World, address: AddressHex): Promise<EntityId> =>
  (await canonicalIdAt(world, address)) ?? NOBODY;

/** Undefined for the zero address, by which callers leave an account out. */
export const optionalAccountIdOf = async (world: World, address: AddressHex): Promise<EntityId | undefined> =>
  address === ZERO_ADDRESS ? undefined : accountIdOf(world, address);
