import type { AccountKey } from '../keys/account-key.ts';
import type { Account, Holding, Token } from './ledger-entities.ts';
import type { LedgerState } from './ledger-state.ts';
import { noEntries, noMembers, withEntry } from './sparse.ts';

interface NewAccount {
  readonly num: bigint;
  readonly key?: AccountKey | undefined;
  /** The serialized Key if it isn't simply `key`. */
  readonly keyBytes?: Uint8Array;
  readonly memo?: string;
  readonly alias?: Uint8Array;
  readonly autoAssociations?: number;
  readonly receiverSignatureRequired?: boolean;
  readonly stakedNodeId?: number | undefined;
  readonly declineReward?: boolean;
  readonly unrewardedFrom?: bigint;
  readonly pinned?: boolean;
}

const NO_BYTES = new Uint8Array();

/** Adds an account with balance 0 to the state. */
export const addAccount = (state: LedgerState, details: NewAccount): Account => {
  const account: Account = {
    num: details.num,
    key: details.key,
    keyBytes: details.keyBytes ?? details.key?.bytes ?? NO_BYTES,
    memo: details.memo ?? '',
    balance: 0n,
    alias: details.alias ?? NO_BYTES,
    autoAssociations: details.autoAssociations ?? 0,
    receiverSignatureRequired: details.receiverSignatureRequired ?? false,
    stakedNodeId: details.stakedNodeId,
    stakedAccount: undefined,
    declineReward: details.declineReward ?? false,
    unrewardedFrom: details.unrewardedFrom ?? 0n,
    deleted: false,
    holdings: noEntries(),
    hbarAllowances: noEntries(),
    tokenAllowances: noEntries(),
    approvedForAll: noMembers(),
    ethereumNonce: 0n,
    delegation: undefined,
    hooks: noEntries(),
    userIndex: -1,
    pinned: details.pinned ?? false,
  };
  state.accounts.set(account.num, account);
  return account;
};

/** Gives the account another key. */
export const changeKey = (account: Account, key: AccountKey): void => {
  account.key = key;
  account.keyBytes = key.bytes;
};

/** Makes the account one of those that activities choose from. */
export const addUser = (state: LedgerState, account: Account): void => {
  account.userIndex = state.users.length;
  state.users.push(account);
};

/** Takes the account out of those that activities choose from. */
export const removeUser = (state: LedgerState, account: Account): void => {
  const last = state.users.pop() as Account;
  if (last !== account) {
    last.userIndex = account.userIndex;
    state.users[account.userIndex] = last;
  }
  account.userIndex = -1;
};

/** The account with this number; asking for one that was never created is a fault of the simulator. */
export const accountOf = (state: LedgerState, num: bigint): Account => {
  const account = state.accounts.get(num);
  if (account === undefined) throw new Error(`No simulated account 0.0.${num}`);
  return account;
};

/** Associates account and token; the treasury is granted and unfrozen, others as the token's keys demand. */
export const associate = (account: Account, token: Token): Holding => {
  const holding: Holding = {
    balance: 0n,
    frozen: token.frozenAtFirst && account !== token.treasury,
    kyc: !token.hasKycKey || account === token.treasury,
  };
  account.holdings = withEntry(account.holdings, token.num, holding);
  token.holders.push(account);
  return holding;
};

/** The holding if account and token are associated and the account may send or receive it now. */
export const usableHolding = (account: Account, token: Token): Holding | undefined => {
  const holding = account.holdings.get(token.num);
  return holding !== undefined && !holding.frozen && holding.kyc ? holding : undefined;
};

/** Changes a holding's balance; a negative result is a fault of the simulator. */
export const addToHolding = (account: Account, token: Token, amount: bigint): void => {
  const holding = account.holdings.get(token.num);
  if (holding === undefined || holding.balance + amount < 0n) {
    throw new Error(`Simulated account 0.0.${account.num} can't change token 0.0.${token.num} by ${amount}`);
  }
  holding.balance += amount;
};

/** An NFT changes hands: the old owner's word about it doesn't count any longer. */
export const moveSerial = (token: Token, serial: bigint, to: Account): void => {
  token.owners.set(serial, to);
  token.spenders.delete(serial);
};

/** Burns an NFT. */
export const removeSerial = (token: Token, serial: bigint): void => {
  token.owners.delete(serial);
  token.spenders.delete(serial);
};
