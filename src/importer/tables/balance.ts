/** Balances at times, and the jobs that reconcile them. */
import { isGiven, sum } from '../state/merge-rules.ts';
import { separate } from './definition.ts';
import { kept, partitioned, sweptByTime } from './retention.ts';

interface Balance {
  balance?: bigint | null | undefined;
  balance_timestamp?: bigint | null | undefined;
}

/** A delta of a balance, which may come with its time. */
export const addBalance = (target: Balance, delta: Balance): void => {
  target.balance = sum(target.balance, delta.balance);
  if (isGiven(delta.balance_timestamp)) target.balance_timestamp = delta.balance_timestamp;
};

/** Snapshots of balances are no part of the past that retention is for, unless someone says so. */
export const balanceTables = {
  account_balance: separate('account_balance', {
    retention: partitioned,
    holds: { of: 'hbars', at: 'time', account: 'account_id' },
  }),
  account_balance_file: separate('account_balance_file', { retention: kept }),
  reconciliation_job: separate('reconciliation_job', { retention: sweptByTime }),
  token_balance: separate('token_balance', {
    retention: partitioned,
    holds: { of: 'tokens', at: 'time', account: 'account_id' },
  }),
};
