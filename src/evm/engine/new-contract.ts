/** The record of a contract that a run creates. */
import { fromHex } from '../../ledger/bytes.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { NANOS_PER_SECOND } from '../../ledger/timestamp.ts';
import { DEFAULT_RENEWAL_PERIOD } from '../hapi/limits.ts';
import { newEntity } from '../state/new-entity.ts';
import type { AddressHex, EntityRecord } from '../state/records.ts';

/** Before its init code ran; a hollow account at its address becomes it, with what it owns. */
export const newContract = (
  id: EntityId,
  evmAddress: AddressHex | undefined,
  now: bigint,
  hollow: EntityRecord | undefined,
): EntityRecord => {
  if (hollow !== undefined) return { ...hollow, type: 'CONTRACT', nonce: 1n };
  return newEntity({
    id,
    type: 'CONTRACT',
    evmAddress,
    alias: evmAddress === undefined ? undefined : fromHex(evmAddress),
    nonce: 1n,
    createdTimestamp: now,
    expirySeconds: now / NANOS_PER_SECOND + DEFAULT_RENEWAL_PERIOD,
    autoRenewPeriodSeconds: DEFAULT_RENEWAL_PERIOD,
  });
};
