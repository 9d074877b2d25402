/** Accounts, contracts, files, topics, tokens and schedules, and what they stake. */
import { fill, isGiven, sum } from '../state/merge-rules.ts';
import { addBalance } from './balance.ts';
import { merged, separate } from './definition.ts';
import { kept, rangedVersions, stakeVersions } from './retention.ts';

const TYPE = "coalesce(s.type, e.type, 'UNKNOWN')";

const balanceOf = (type: string): string =>
  `case when ${type} in ('ACCOUNT', 'CONTRACT') then coalesce(e.balance, 0) + coalesce(s.balance, 0) ` +
  'else e.balance + coalesce(s.balance, 0) end';

export const entityTables = {
  entity: merged('entity', {
    key: ['id'],
    insertOnly: ['alias', 'created_timestamp', 'evm_address', 'num', 'realm', 'shard'],
    deltas: {
      balance: balanceOf('e.type'),
      balance_timestamp: 'coalesce(s.balance_timestamp, e.balance_timestamp)',
      ethereum_nonce: 'coalesce(s.ethereum_nonce, e.ethereum_nonce)',
    },
    expressions: {
      balance: balanceOf(TYPE),
      ethereum_nonce: `coalesce(s.ethereum_nonce, e.ethereum_nonce, case when ${TYPE} = 'ACCOUNT' then 0 end)`,
      public_key: "case when s.public_key = '' then null else coalesce(s.public_key, e.public_key) end",
    },
    combination: {
      deltaCarriesForward: true,
      isDecided: ({ type }) => isGiven(type),
      inherit: (next, previous) => {
        const balance = sum(next.balance, previous.balance);
        fill(next, previous);
        next.balance = balance;
      },
      repeat: (version, again) => {
        const balance = sum(version.balance, again.balance);
        fill(version, again);
        version.balance = balance;
      },
      applyDelta: (version, delta) => {
        addBalance(version, delta);
        if (isGiven(delta.ethereum_nonce)) version.ethereum_nonce = delta.ethereum_nonce;
      },
      absorbDelta: (next, delta) => {
        const balance = sum(next.balance, delta.balance);
        fill(next, delta);
        next.balance = balance;
      },
    },
    retention: kept,
    history: rangedVersions,
    holds: { of: 'hbars', at: 'now', account: 'id' },
  }),
  entity_stake: separate('entity_stake', { retention: kept, history: stakeVersions }),
};
