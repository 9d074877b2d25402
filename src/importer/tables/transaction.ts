/** What transactions leave behind, whatever their kind, and what they move. */
import { fill, isGiven } from '../state/merge-rules.ts';
import { growing, inserted, merged, separate } from './definition.ts';
import { kept, sweptByTime, timedBy } from './retention.ts';

export const transactionTables = {
  assessed_custom_fee: growing('assessed_custom_fee', {
    retention: timedBy('consensus_timestamp'),
    // They are among the transfers as well.
    moves: 'nothing',
  }),
  crypto_transfer: growing('crypto_transfer', {
    retention: timedBy('consensus_timestamp'),
    moves: { of: 'hbars', account: 'entity_id' },
  }),
  entity_transaction: growing('entity_transaction', { retention: sweptByTime }),
  live_hash: inserted('live_hash', { retention: timedBy('consensus_timestamp') }),
  non_fee_transfer: separate('non_fee_transfer', { retention: timedBy('consensus_timestamp'), moves: 'nothing' }),
  prng: inserted('prng', { retention: timedBy('consensus_timestamp') }),
  schedule: merged('schedule', {
    key: ['schedule_id'],
    insertOnly: [
      'consensus_timestamp',
      'creator_account_id',
      'expiration_time',
      'payer_account_id',
      'transaction_body',
      'wait_for_expiry',
    ],
    condition: 'coalesce(s.consensus_timestamp, e.consensus_timestamp) is not null',
    combination: {
      // Only the execution is ever said again; of several the last counts.
      repeat: (created, again) => {
        fill(created, again);
        if (isGiven(again.executed_timestamp)) created.executed_timestamp = again.executed_timestamp;
      },
    },
    retention: kept,
  }),
  staking_reward_transfer: growing('staking_reward_transfer', {
    retention: timedBy('consensus_timestamp'),
    moves: 'nothing',
  }),
  token_transfer: growing('token_transfer', {
    retention: timedBy('consensus_timestamp'),
    moves: { of: 'tokens', account: 'account_id' },
  }),
  transaction: growing('transaction', { retention: timedBy('consensus_timestamp') }),
  transaction_hash: growing('transaction_hash', { retention: kept }),
  transaction_signature: growing('transaction_signature', { retention: sweptByTime }),
};
