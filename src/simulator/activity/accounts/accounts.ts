import { evmAddressOfEcdsaKey } from '../../../ledger/evm-address.ts';
import { type AccountKey, accountKeyFromSeed, protobufKey, publicKeyOf } from '../../keys/account-key.ts';
import { fees } from '../../network/fee-schedule.ts';
import { currentStakingPeriod } from '../../network/staking-rewards.ts';
import type { BlockBuilder } from '../../records/block-builder.ts';
import { accountAlias, accountId } from '../../records/proto-ids.ts';
import { addAccount, addUser, changeKey } from '../../state/account-book.ts';
import type { Account } from '../../state/ledger-entities.ts';
import { removeAt } from '../../state/ledger-state.ts';
import { type Activity, chooseOther, chooseUser, treasury } from '../choose.ts';
import { addHook } from './hook-record.ts';

const AUTO_RENEW = { seconds: 7_776_000n };
const HBAR = 100_000_000n;
/** Key of an account that waits for its first transaction: a Key of an empty KeyList. */
const EMPTY_KEY_LIST = Uint8Array.of(0x32, 0x00);

export interface NewUser {
  readonly payer: Account;
  /** Tinybars. */
  readonly initialBalance: bigint;
  /** Number of the contract whose code becomes the account's first hook. */
  readonly hookContract?: bigint;
  /** Pays what creations cost while many want them ([HIP-1313](https://hips.hedera.com/hip/hip-1313)). */
  readonly highVolume?: boolean;
}

/** Thousandths. */
const HIGH_VOLUME_MULTIPLIER = 4_000n;

/** Submits a CryptoCreate: a third with secp256k1 keys, half of those with their EVM address as alias. */
export const createUser = (builder: BlockBuilder, details: NewUser): Account => {
  const { payer, initialBalance, hookContract, highVolume = false } = details;
  const { random, state, settings } = builder;
  const num = builder.takeNum();
  const key = accountKeyFromSeed(settings.seed, random.chance(0.33) ? 'ecdsa' : 'ed25519', `account/${num}`);
  const alias = key.kind === 'ecdsa' && random.chance(0.5) ? evmAddressOfEcdsaKey(publicKeyOf(key)) : undefined;
  const autoAssociations = [0, 0, 10, -1][random.below(4)] as number;
  const stakedNodeId = random.chance(0.4) ? random.below(settings.nodeCount) : undefined;
  const declineReward = random.chance(0.1);
  const receiverSignatureRequired = random.chance(0.05);
  const account = addAccount(state, {
    num,
    key,
    autoAssociations,
    stakedNodeId,
    declineReward,
    receiverSignatureRequired,
    memo: `user ${num}`,
    unrewardedFrom: currentStakingPeriod(state) + 1n,
    ...(alias === undefined ? {} : { alias }),
  });
  builder.submit({
    payer,
    fee: highVolume ? (fees.accountCreate * HIGH_VOLUME_MULTIPLIER) / 1_000n : fees.accountCreate,
    ...(highVolume && { body: { highVolume } }),
    data: {
      $case: 'cryptoCreateAccount',
      cryptoCreateAccount: {
        key: protobufKey(key),
        initialBalance,
        autoRenewPeriod: AUTO_RENEW,
        maxAutomaticTokenAssociations: autoAssociations,
        receiverSigRequired: receiverSignatureRequired,
        declineReward,
        memo: account.memo,
        ...(stakedNodeId === undefined
          ? {}
          : { stakedId: { $case: 'stakedNodeId', stakedNodeId: BigInt(stakedNodeId) } }),
        ...(alias === undefined ? {} : { alias }),
        ...(hookContract === undefined ? {} : { hookCreationDetails: [addHook(account, 1n, hookContract)] }),
      },
    },
    receipt: { accountID: accountId(num) },
    record: {
      ...(alias && { evmAddress: alias }),
      ...(highVolume && { highVolumePricingMultiplier: HIGH_VOLUME_MULTIPLIER }),
    },
    hbar: [
      { account: payer, amount: -initialBalance },
      { account, amount: initialBalance },
    ],
    signers: receiverSignatureRequired || alias !== undefined ? [key] : [],
  });
  addUser(state, account);
  return account;
};

export interface NewHolder {
  readonly payer: Account;
  /** Tinybars. */
  readonly initialBalance: bigint;
  readonly stakedNodeId: number;
  readonly declineReward: boolean;
}

/** Submits the CryptoCreate of an account that keeps what it has and stakes it, which activities leave alone. */
export const createHolder = (builder: BlockBuilder, details: NewHolder): void => {
  const { payer, initialBalance, stakedNodeId, declineReward } = details;
  const { state, settings } = builder;
  const num = builder.takeNum();
  const key = accountKeyFromSeed(settings.seed, 'ed25519', `account/${num}`);
  const account = addAccount(state, {
    num,
    key,
    stakedNodeId,
    declineReward,
    memo: `long-term holder ${num}`,
    unrewardedFrom: currentStakingPeriod(state) + 1n,
    pinned: true,
  });
  builder.submit({
    payer,
    fee: fees.accountCreate,
    data: {
      $case: 'cryptoCreateAccount',
      cryptoCreateAccount: {
        key: protobufKey(key),
        initialBalance,
        autoRenewPeriod: AUTO_RENEW,
        declineReward,
        memo: account.memo,
        stakedId: { $case: 'stakedNodeId', stakedNodeId: BigInt(stakedNodeId) },
      },
    },
    receipt: { accountID: accountId(num) },
    hbar: [
      { account: payer, amount: -initialBalance },
      { account, amount: initialBalance },
    ],
  });
};

/** More users would only make the state larger; the ledger grows without them as well. */
const MAX_USERS = 2_000;
const MAX_HOLLOW = 500;

export const createAccount: Activity = (builder) => {
  if (builder.state.users.length >= MAX_USERS) return false;
  const payer = chooseUser(builder, 200n * HBAR) ?? treasury(builder);
  createUser(builder, { payer, initialBalance: BigInt(builder.random.between(1, 100)) * HBAR });
  return true;
};

/** Somebody cannot wait for the ordinary pace of creations, and pays more. */
export const createAtHighVolume: Activity = (builder) => {
  if (builder.state.users.length >= MAX_USERS) return false;
  const payer = chooseUser(builder, 200n * HBAR) ?? treasury(builder);
  createUser(builder, { payer, initialBalance: 10n * HBAR, highVolume: true });
  return true;
};

/**
 * A transfer to an alias that nobody has yet: a child just before it creates the account, with the alias's key, or
 * hollow when the alias is an EVM address ([HIP-32](https://hips.hedera.com/hip/hip-32),
 * [HIP-583](https://hips.hedera.com/hip/hip-583)).
 */
export const transferToAlias: Activity = (builder) => {
  const { random, state, settings } = builder;
  if (state.users.length >= MAX_USERS || state.hollow.length >= MAX_HOLLOW) return false;
  const payer = chooseUser(builder, 20n * HBAR) ?? treasury(builder);
  const num = builder.takeNum();
  const hollow = random.chance(0.4);
  const key = hollow
    ? hollowKey(settings.seed, num)
    : accountKeyFromSeed(settings.seed, random.chance(0.5) ? 'ecdsa' : 'ed25519', `account/${num}`);
  const evmAddress = key.kind === 'ecdsa' ? evmAddressOfEcdsaKey(publicKeyOf(key)) : undefined;
  const alias = hollow ? (evmAddress as Uint8Array) : key.bytes;
  const account = addAccount(state, {
    num,
    key: hollow ? undefined : key,
    alias,
    autoAssociations: -1,
    memo: hollow ? 'lazy-created account' : 'auto-created account',
    ...(hollow ? { keyBytes: EMPTY_KEY_LIST } : {}),
  });
  const amount = BigInt(random.between(1, 10)) * HBAR;
  builder.submit({
    payer,
    fee: fees.transfer + fees.accountCreate,
    data: {
      $case: 'cryptoTransfer',
      cryptoTransfer: {
        transfers: {
          accountAmounts: [
            { accountID: accountId(payer.num), amount: -amount },
            { accountID: accountAlias(alias), amount },
          ],
        },
      },
    },
    hbar: [
      { account: payer, amount: -amount },
      { account, amount },
    ],
    preceding: [
      {
        payer,
        fee: 0n,
        statedFee: fees.accountCreate,
        data: {
          $case: 'cryptoCreateAccount',
          cryptoCreateAccount: {
            key: hollow ? { key: { $case: 'keyList', keyList: { keys: [] } } } : protobufKey(key),
            autoRenewPeriod: AUTO_RENEW,
            maxAutomaticTokenAssociations: -1,
            memo: account.memo,
            alias,
          },
        },
        receipt: { accountID: accountId(num) },
        record: { alias: hollow ? new Uint8Array() : alias, ...(evmAddress === undefined ? {} : { evmAddress }) },
      },
    ],
  });
  if (hollow) state.hollow.push(account);
  else addUser(state, account);
  return true;
};

const hollowKey = (seed: string, num: bigint): AccountKey => accountKeyFromSeed(seed, 'ecdsa', `hollow/${num}`);

/** A hollow account pays for its first transaction and thereby gets its key, by a child update just before. */
export const completeHollow: Activity = (builder) => {
  const { random, state, settings } = builder;
  if (state.hollow.length === 0) return false;
  const index = random.below(state.hollow.length);
  const account = state.hollow[index] as Account;
  const receiver = chooseOther(builder, account);
  if (account.balance < HBAR / 2n || receiver === undefined || receiver.receiverSignatureRequired) return false;
  const key = hollowKey(settings.seed, account.num);
  changeKey(account, key);
  removeAt(state.hollow, index);
  const amount = 1_000n;
  const hbar = [
    { account, amount: -amount },
    { account: receiver, amount },
  ];
  builder.submit({
    payer: account,
    fee: fees.transfer,
    data: {
      $case: 'cryptoTransfer',
      cryptoTransfer: {
        transfers: {
          accountAmounts: hbar.map((change) => ({ accountID: accountId(change.account.num), amount: change.amount })),
        },
      },
    },
    hbar,
    preceding: [
      {
        payer: account,
        fee: 0n,
        data: {
          $case: 'cryptoUpdateAccount',
          cryptoUpdateAccount: { accountIDToUpdate: accountId(account.num), key: protobufKey(key) },
        },
        receipt: { accountID: accountId(account.num) },
      },
    ],
  });
  addUser(state, account);
  return true;
};
