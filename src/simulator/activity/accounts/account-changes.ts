import { type AccountKey, accountKeyFromSeed, protobufKey } from '../../keys/account-key.ts';
import { fees } from '../../network/fee-schedule.ts';
import { currentStakingPeriod } from '../../network/staking-rewards.ts';
import type { BlockBuilder } from '../../records/block-builder.ts';
import { accountId } from '../../records/proto-ids.ts';
import { changeKey, removeUser } from '../../state/account-book.ts';
import type { Account } from '../../state/ledger-entities.ts';
import { remember, removeFrom } from '../../state/ledger-state.ts';
import { type Activity, chooseOther, chooseUser } from '../choose.ts';

const HBAR = 100_000_000n;

type CryptoUpdate = Extract<
  Exclude<Parameters<BlockBuilder['submit']>[0]['data'], (...args: never[]) => unknown>,
  { $case: 'cryptoUpdateAccount' }
>['cryptoUpdateAccount'];

const submitUpdate = (
  builder: BlockBuilder,
  account: Account,
  changes: NonNullable<CryptoUpdate>,
  newKey?: AccountKey,
): void =>
  builder.submit({
    payer: account,
    fee: fees.accountUpdate,
    data: {
      $case: 'cryptoUpdateAccount',
      cryptoUpdateAccount: { accountIDToUpdate: accountId(account.num), ...changes },
    },
    signers: newKey === undefined ? [] : [newKey],
  });

const changeMemo = (builder: BlockBuilder, account: Account): void => {
  const memo = `user ${account.num}, updated`;
  submitUpdate(builder, account, { memo });
  account.memo = memo;
};

/** An account changes its memo, its key or its automatic associations. */
export const updateAccount: Activity = (builder) => {
  const { random, settings } = builder;
  const account = chooseUser(builder, HBAR);
  if (account === undefined) return false;
  const choice = random.below(3);
  if (choice === 0 || (choice === 1 && account.pinned)) {
    changeMemo(builder, account);
  } else if (choice === 1) {
    const key = accountKeyFromSeed(settings.seed, 'ed25519', `account/${account.num}/${builder.consensusTime}`);
    submitUpdate(builder, account, { key: protobufKey(key) }, key);
    changeKey(account, key);
  } else {
    submitUpdate(builder, account, { maxAutomaticTokenAssociations: -1 });
    account.autoAssociations = -1;
  }
  return true;
};

/** An account stakes to a node or to another account, stops staking, or changes its mind about rewards. */
export const changeStake: Activity = (builder) => {
  const { random, state, settings } = builder;
  const account = chooseUser(builder, HBAR);
  if (account === undefined) return false;
  const choice = random.below(6);
  if (choice < 3) {
    const node = random.below(settings.nodeCount);
    submitUpdate(builder, account, {
      stakedId: { $case: 'stakedNodeId', stakedNodeId: BigInt(node) },
      declineReward: false,
    });
    account.stakedNodeId = node;
    account.stakedAccount = undefined;
    account.declineReward = false;
  } else if (choice === 3) {
    return stakeToAccount(builder);
  } else if (choice === 4) {
    submitUpdate(builder, account, { stakedId: { $case: 'stakedNodeId', stakedNodeId: -1n } });
    account.stakedNodeId = undefined;
    account.stakedAccount = undefined;
  } else {
    submitUpdate(builder, account, { declineReward: !account.declineReward });
    account.declineReward = !account.declineReward;
  }
  // What the account earned until now is paid or forfeited.
  account.unrewardedFrom = currentStakingPeriod(state) + 1n;
  return true;
};

/** An account adds its stake to that of another one. */
export const stakeToAccount: Activity = (builder) => {
  const account = chooseUser(builder, HBAR);
  const other = account && chooseOther(builder, account);
  if (account === undefined || other === undefined) return false;
  submitUpdate(builder, account, { stakedId: { $case: 'stakedAccountId', stakedAccountId: accountId(other.num) } });
  account.stakedNodeId = undefined;
  account.stakedAccount = other.num;
  account.unrewardedFrom = currentStakingPeriod(builder.state) + 1n;
  return true;
};

const KEPT_USERS = 8;

/** Deletes a user that owns nothing but hbar; the payer gets what is left. */
export const deleteAccount: Activity = (builder) => {
  const { state } = builder;
  const account = chooseUser(builder, 0n);
  if (account === undefined || state.users.length <= KEPT_USERS || !isDeletable(builder, account)) return false;
  const payer = chooseOther(builder, account);
  if (payer === undefined || payer.balance < fees.accountDelete) return false;
  builder.submit({
    payer,
    fee: fees.accountDelete,
    data: {
      $case: 'cryptoDelete',
      cryptoDelete: { deleteAccountID: accountId(account.num), transferAccountID: accountId(payer.num) },
    },
    hbar: [
      { account, amount: -account.balance },
      { account: payer, amount: account.balance },
    ],
    signers: [account.key],
  });
  account.deleted = true;
  state.accounts.delete(account.num);
  remember(state.deletedAccounts, account);
  removeUser(state, account);
  for (const tokenNum of account.holdings.keys()) {
    for (const tokens of [state.fungible, state.nfts, state.deletedTokens]) {
      for (const token of tokens) if (token.num === tokenNum) removeFrom(token.holders, account);
    }
  }
  return true;
};

const isDeletable = (builder: BlockBuilder, account: Account): boolean => {
  if (account.pinned || account.stakedNodeId !== undefined) return false;
  for (const holding of account.holdings.values()) if (holding.balance > 0n) return false;
  const { schedules, airdrops } = builder.state;
  return (
    !schedules.some((schedule) => [schedule.sender, schedule.receiver, schedule.creator].includes(account)) &&
    !airdrops.some((airdrop) => airdrop.sender === account || airdrop.receiver === account)
  );
};
