import type { EntityRecord } from './records.ts';

/** An entity with nothing but what is given. */
export const newEntity = (given: Pick<EntityRecord, 'id' | 'type'> & Partial<EntityRecord>): EntityRecord => ({
  evmAddress: undefined,
  alias: undefined,
  balance: 0n,
  nonce: 0n,
  key: undefined,
  memo: '',
  createdTimestamp: 0n,
  expirySeconds: 0n,
  autoRenewPeriodSeconds: 0n,
  autoRenewAccountId: undefined,
  receiverSigRequired: false,
  maxAutomaticAssociations: 0,
  usedAutomaticAssociations: 0,
  delegationAddress: undefined,
  ...given,
});
