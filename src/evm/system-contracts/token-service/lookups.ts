/** Tokens and accounts that address arguments of views name. */
import type { EntityId } from '../../../ledger/entity-id.ts';
import type { AddressHex, EntityRecord, TokenRecord } from '../../state/records.ts';
import { addressOf, isLongZero, longZeroHex, type World } from '../../state/world.ts';
import { canonicalIdAt } from '../canonical-reference.ts';

export const ZERO_ADDRESS: AddressHex = '0'.repeat(40);

/** The token at its long-zero address, the only form that tokens are known by. */
export const tokenAt = async (world: World, address: AddressHex): Promise<TokenRecord | undefined> => {
  if (!isLongZero(address)) return undefined;
  const id = await world.idAt(address);
  return id === undefined ? undefined : world.token(id);
};

export const isAccountOrContract = ({ type }: EntityRecord): boolean => type === 'ACCOUNT' || type === 'CONTRACT';

/** The account or contract that contracts mean by an address. */
export const accountAt = async (world: World, address: AddressHex): Promise<EntityRecord | undefined> => {
  const id = await canonicalIdAt(world, address);
  const entity = id === undefined ? undefined : await world.entity(id);
  return entity !== undefined && isAccountOrContract(entity) ? entity : undefined;
};

/** The address that contracts know an account by; long-zero for one that is not there, all zeros for none. */
export const priorityAddress = async (world: World, id: EntityId | undefined): Promise<AddressHex> => {
  if (id === undefined) return ZERO_ADDRESS;
  const entity = await world.entity(id);
  return entity === undefined ? longZeroHex(id) : addressOf(entity);
};

export const longZeroOrNone = (id: EntityId | undefined): AddressHex =>
  id === undefined ? ZERO_ADDRESS : longZeroHex(id);
