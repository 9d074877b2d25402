import { epochDayOf } from '../../../ledger/timestamp.ts';
import type { CryptoCreateTransactionBody } from '../../../protobuf/generated/services/crypto_create.ts';
import { atLeastHapi } from '../../record-item.ts';
import { int64 } from '../column-values.ts';
import type { EntityChange } from '../entity-versions.ts';
import { type Call, touch } from '../handler.ts';
import { accountNumber } from '../ids.ts';

type StakedId = CryptoCreateTransactionBody['stakedId'];

// Earlier networks took these fields and did nothing with them ([HIP-406](https://hips.hedera.com/hip/hip-406) came
// with 0.27).
const stakingIsOn = (call: Call): boolean => atLeastHapi(call.item, 0, 27);

const stakedTo = (call: Call, stakedId: NonNullable<StakedId>): EntityChange => {
  if (stakedId.$case === 'stakedNodeId') return { staked_node_id: int64(stakedId.stakedNodeId) };
  const account = accountNumber(call, stakedId.stakedAccountId);
  touch(call, account);
  return { staked_account_id: account };
};

const periodStart = (call: Call): EntityChange => ({ stake_period_start: epochDayOf(call.timestamp) });

/** Staking columns of a new account or contract (HIP-406). */
export const newStaking = (call: Call, stakedId: StakedId, declineReward: boolean): EntityChange => {
  if (!stakingIsOn(call)) return {};
  return {
    decline_reward: declineReward,
    ...(stakedId !== undefined && { ...stakedTo(call, stakedId), ...periodStart(call) }),
  };
};

/** Staking to a node ends staking to an account and the other way round. */
const otherCleared = (stakedId: NonNullable<StakedId>): EntityChange =>
  stakedId.$case === 'stakedNodeId' ? { staked_account_id: 0n } : { staked_node_id: -1n };

/** Staking columns that an update gives; any of them begins a new stake period. */
export const changedStaking = (call: Call, stakedId: StakedId, declineReward: boolean | undefined): EntityChange => {
  if (!stakingIsOn(call) || (stakedId === undefined && declineReward === undefined)) return {};
  return {
    ...(declineReward !== undefined && { decline_reward: declineReward }),
    ...(stakedId !== undefined && { ...stakedTo(call, stakedId), ...otherCleared(stakedId) }),
    ...periodStart(call),
  };
};
