import { fromHex } from '../../ledger/bytes.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import type { AddressHex } from '../state/records.ts';
import { UNLIMITED_AUTOMATIC_ASSOCIATIONS } from './associate.ts';
import { DEFAULT_RENEWAL_PERIOD } from './limits.ts';
import { type OperationContext, refuse } from './operation.ts';

const LONG_ZERO_PREFIX = '0'.repeat(24);
const NANOS_PER_SECOND = 1_000_000_000n;

/**
 * Creates the hollow account of an address that no account has (HIP-583): without key, with unlimited automatic
 * associations. Refuses: INVALID_ALIAS_KEY for a long-zero address.
 */
export const createHollowAccount = async (
  { world, now }: Pick<OperationContext, 'world' | 'now'>,
  address: AddressHex,
): Promise<EntityId> => {
  if (address.startsWith(LONG_ZERO_PREFIX)) refuse('INVALID_ALIAS_KEY');
  const id = await world.newEntityId();
  world.putEntity({
    id,
    type: 'ACCOUNT',
    evmAddress: address,
    alias: fromHex(address),
    balance: 0n,
    nonce: 0n,
    key: undefined,
    memo: '',
    createdTimestamp: now,
    expirySeconds: now / NANOS_PER_SECOND + DEFAULT_RENEWAL_PERIOD,
    autoRenewPeriodSeconds: DEFAULT_RENEWAL_PERIOD,
    autoRenewAccountId: undefined,
    receiverSigRequired: false,
    maxAutomaticAssociations: UNLIMITED_AUTOMATIC_ASSOCIATIONS,
    usedAutomaticAssociations: 0,
    delegationAddress: undefined,
  });
  return id;
};
