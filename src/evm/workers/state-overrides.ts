/** Puts the state that a request brings over the stored one, before anything runs. */
import { newEntity } from '../state/new-entity.ts';
import type { AddressHex, EntityRecord } from '../state/records.ts';
import { isLongZero, type World } from '../state/world.ts';
import type { SlotOverride, StateOverride } from './simulation-task.ts';

const FAR_FUTURE_SECONDS = 9_000_000_000n;
const LONGEST_RENEWAL_SECONDS = 8_000_001n;

/** A contract for an address that nothing stored has; undefined for a long-zero address that no entity can have. */
const madeUp = async (world: World, address: AddressHex): Promise<EntityRecord | undefined> => {
  const isNumber = isLongZero(address);
  const id = isNumber ? await world.idAt(address) : await world.newEntityId();
  if (id === undefined) return undefined;
  return newEntity({
    id,
    type: 'CONTRACT',
    evmAddress: isNumber ? undefined : address,
    expirySeconds: FAR_FUTURE_SECONDS,
    autoRenewPeriodSeconds: LONGEST_RENEWAL_SECONDS,
  });
};

const putSlots = (world: World, id: bigint, slots: readonly SlotOverride[]): void => {
  for (const { slot, value } of slots) world.putSlot(id, slot, value);
};

/**
 * What is overridden counts as a contract, so that its balance is real also where balances of accounts are raised.
 * Tokens and schedules keep their kind.
 */
export const applyStateOverrides = async (world: World, overrides: readonly StateOverride[]): Promise<void> => {
  for (const { address, balance, code, nonce, state, stateDiff } of overrides) {
    const entity = (await world.entityAt(address)) ?? (await madeUp(world, address));
    if (entity === undefined) continue;
    const { id } = entity;
    world.putEntity({
      ...entity,
      type: entity.type === 'ACCOUNT' || entity.type === 'UNKNOWN' ? 'CONTRACT' : entity.type,
      balance: balance ?? entity.balance,
      nonce: nonce ?? entity.nonce,
    });
    if (code !== undefined) world.putCode(id, code);
    if (state !== undefined && state.length > 0) {
      world.forgetStoredSlots(id);
      putSlots(world, id, state);
    }
    putSlots(world, id, stateDiff ?? []);
  }
};
