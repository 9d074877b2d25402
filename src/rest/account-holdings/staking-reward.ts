/** A staking reward that was paid, as REST shows it. */
import { entityId, int64, timestamp } from '../../api/resource/field.ts';
import { resource } from '../../api/resource/resource.ts';

/** Over a row of `staking_reward_transfer`. */
export const stakingReward = resource({
  name: 'StakingReward',
  keys: { consensusTimestamp: 'p.consensus_timestamp' },
  fields: {
    account_id: entityId('p.account_id', 'The account that was rewarded.'),
    amount: int64('p.amount', 'Tinybars paid.', { examples: [10] }),
    timestamp: timestamp('p.consensus_timestamp', 'When the transaction that paid reached consensus.'),
  },
});
