/** What accounts let others spend. */
import { isGiven, sum } from '../state/merge-rules.ts';
import { merged } from './definition.ts';
import { kept, rangedVersions } from './retention.ts';

interface Spending {
  amount?: bigint | null | undefined;
  payer_account_id?: bigint | null | undefined;
}

const spend = (target: Spending, delta: Spending): void => {
  target.amount = sum(target.amount, delta.amount);
};

/** What is left of an amount goes down by deltas. */
const spent = {
  deltas: { amount: 'e.amount + s.amount', payer_account_id: 'coalesce(s.payer_account_id, e.payer_account_id)' },
  combination: {
    applyDelta: spend,
    // Whoever pays for the first transfer that a block takes from an earlier block's allowance becomes its payer.
    foldDelta: (target: Spending, delta: Spending): void => {
      spend(target, delta);
      if (isGiven(delta.payer_account_id)) target.payer_account_id = delta.payer_account_id;
    },
  },
} as const;

export const allowanceTables = {
  crypto_allowance: merged('crypto_allowance', {
    key: ['owner', 'spender'],
    ...spent,
    retention: kept,
    history: rangedVersions,
  }),
  nft_allowance: merged('nft_allowance', {
    key: ['owner', 'spender', 'token_id'],
    retention: kept,
    history: rangedVersions,
  }),
  token_allowance: merged('token_allowance', {
    key: ['owner', 'spender', 'token_id'],
    ...spent,
    retention: kept,
    history: rangedVersions,
  }),
};
