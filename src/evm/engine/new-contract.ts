/** The record of a contract that a run creates. */

import { fromHex } from '../../ledger/bytes.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { DEFAULT_RENEWAL_PERIOD } from '../hapi/limits.ts';
import type { AddressHex, EntityRecord } from '../state/records.ts';

const NANOS_PER_SECOND = 1_000_000_000n;

/** Before its init code ran; a hollow account at its address becomes it, with what it owns. */
export const newContract = (
  id: EntityId,
  evmAddress: AddressHex | undefined,
  now: bigint,
  hollow: EntityRecord | undefined,
): EntityRecord => {
  if (hollow !== undefined) return { ...hollow, type: 'CONTRACT', nonce: 1n };
  return {
    id,
    type: 'CONTRACT',
    evmAddress,
    alias: evmAddress === undefined ? undefined : fromHex(evmAddress),
    balance: 0n,
    nonce: 1n,
    key: undefined,
    memo: '',
    createdTimestamp: now,
    expirySeconds: now / NANOS_PER_SECOND + DEFAULT_RENEWAL_PERIOD,
    autoRenewPeriodSeconds: DEFAULT_RENEWAL_PERIOD,
    autoRenewAccountId: undefined,
    receiverSigRequired: false,
    maxAutomaticAssociations: 0,
    usedAutomaticAssociations: 0,
    delegationAddress: undefined,
  };
};
