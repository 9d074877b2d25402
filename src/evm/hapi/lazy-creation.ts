import { fromHex } from '../../ledger/bytes.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { NANOS_PER_SECOND } from '../../ledger/timestamp.ts';
import { newEntity } from '../state/new-entity.ts';
import type { AddressHex } from '../state/records.ts';
import { isLongZero } from '../state/world.ts';
import { UNLIMITED_AUTOMATIC_ASSOCIATIONS } from './associate.ts';
import { DEFAULT_RENEWAL_PERIOD } from './limits.ts';
import { type OperationContext, refuse } from './operation.ts';

/**
 * Creates the hollow account of an address that no account has ([HIP-583](https://hips.hedera.com/hip/hip-583)):
 * without key, with unlimited automatic associations. Refuses: INVALID_ALIAS_KEY for a long-zero address.
 */
export const createHollowAccount = async (
  { world, now }: Pick<OperationContext, 'world' | 'now'>,
  address: AddressHex,
): Promise<EntityId> => {
  if (isLongZero(address)) refuse('INVALID_ALIAS_KEY');
  const id = await world.newEntityId();
  world.putEntity(
    newEntity({
      id,
      type: 'ACCOUNT',
      evmAddress: address,
      alias: fromHex(address),
      createdTimestamp: now,
      expirySeconds: now / NANOS_PER_SECOND + DEFAULT_RENEWAL_PERIOD,
      autoRenewPeriodSeconds: DEFAULT_RENEWAL_PERIOD,
      maxAutomaticAssociations: UNLIMITED_AUTOMATIC_ASSOCIATIONS,
    }),
  );
  return id;
};
