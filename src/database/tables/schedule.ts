/** Scheduled transactions. */
import { bool, bytea, int8, nullable, table, withDefault } from '../column.ts';

export const schedule = table(
  'schedule',
  {
    consensus_timestamp: int8,
    creator_account_id: int8,
    executed_timestamp: nullable(int8),
    payer_account_id: int8,
    schedule_id: int8,
    transaction_body: bytea,
    expiration_time: nullable(int8),
    wait_for_expiry: withDefault(bool, 'false'),
  },
  ['schedule_id'],
);
