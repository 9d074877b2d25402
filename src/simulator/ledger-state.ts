import type { AccountKey } from './account-key.ts';

/**
 * The whole state of the simulated ledger as plain data: what a snapshot holds, what activities read and change.
 * Amounts are tinybars or the token's smallest unit, times are nanoseconds of consensus time.
 */
export interface LedgerState {
  /** Four words of the generator behind every decision. */
  readonly random: Uint32Array;
  /** Next free entity number. */
  nextNum: bigint;
  /** Number of the newest block, -1n before genesis. */
  blockNumber: bigint;
  /** Running hash at the end of the newest block. */
  runningHash: Uint8Array;
  /** Consensus time of the newest transaction. */
  lastConsensus: bigint;
  /** Staking period (whole periods since the epoch) of the newest node stake update, in `stakingPeriodNanos`. */
  stakingPeriod: bigint;
  /** Cents that 30,000 hbar are worth. */
  centEquiv: number;
  /** Hour (whole hours since the epoch) of the newest exchange rates. */
  rateHour: bigint;
  /** Live accounts and contracts. */
  readonly accounts: Map<bigint, Account>;
  /** Numbers of deleted accounts. */
  readonly deletedAccounts: bigint[];
  /** Live ordinary accounts with a key; the ones that pay and are paid. */
  readonly users: Account[];
  /** Live accounts that were made by a transfer to an EVM address and have no key yet. */
  readonly hollow: Account[];
  readonly fungible: Token[];
  readonly nfts: Token[];
  readonly deletedTokens: Token[];
  readonly topics: Topic[];
  readonly deletedTopics: Topic[];
  readonly files: SimulatedFile[];
  readonly schedules: Schedule[];
  readonly contracts: CounterContract[];
  readonly airdrops: PendingAirdrop[];
  /** Records by transaction type number. */
  readonly countsByType: Map<number, number>;
  /** Records by receipt status number. */
  readonly countsByResult: Map<number, number>;
  /** Entries of all transfer lists so far. */
  hbarTransfers: number;
}

export interface Account {
  readonly num: bigint;
  /** The serialized AccountID. */
  readonly idBytes: Uint8Array;
  key: AccountKey | undefined;
  balance: bigint;
  readonly alias: Uint8Array;
  /** -1: without limit. */
  autoAssociations: number;
  receiverSignatureRequired: boolean;
  stakedNodeId: number | undefined;
  declineReward: boolean;
  /** First staking period that has not been rewarded yet. */
  unrewardedFrom: bigint;
  deleted: boolean;
  readonly holdings: Map<bigint, Holding>;
  /** Granted to spenders, by their number. */
  readonly hbarAllowances: Map<bigint, bigint>;
  /** Granted to spenders, by `token/spender`. */
  readonly tokenAllowances: Map<string, bigint>;
  /** Position in `users`, -1 when not there. */
  userIndex: number;
  /** Owners of tokens, topics and files, and fee collectors: never deleted, and they keep their key. */
  pinned: boolean;
}

/** An account's relation to a token; NFTs are counted. */
export interface Holding {
  balance: bigint;
  frozen: boolean;
  kyc: boolean;
}

export type TokenFee =
  | { readonly kind: 'fixed'; readonly amount: bigint; readonly collector: bigint }
  | {
      readonly kind: 'fractional';
      readonly numerator: bigint;
      readonly denominator: bigint;
      readonly minimum: bigint;
      readonly maximum: bigint;
      readonly collector: bigint;
    }
  | {
      readonly kind: 'royalty';
      readonly numerator: bigint;
      readonly denominator: bigint;
      readonly collector: bigint;
    };

export interface Token {
  readonly num: bigint;
  readonly nft: boolean;
  readonly decimals: number;
  readonly treasury: Account;
  readonly hasFreezeKey: boolean;
  readonly hasKycKey: boolean;
  supply: bigint;
  paused: boolean;
  deleted: boolean;
  fees: readonly TokenFee[];
  /** Accounts associated with the token. */
  readonly holders: Account[];
  /** Owner of each live serial number. */
  readonly owners: Map<bigint, Account>;
  nextSerial: bigint;
}

export interface Topic {
  readonly num: bigint;
  /** The serialized TopicID. */
  readonly idBytes: Uint8Array;
  readonly creator: Account;
  readonly hasSubmitKey: boolean;
  sequence: bigint;
  runningHash: Uint8Array;
}

export interface SimulatedFile {
  readonly num: bigint;
  readonly owner: Account;
  size: number;
}

/** A transfer that waits for its sender's signature. */
export interface Schedule {
  readonly num: bigint;
  readonly creator: Account;
  readonly sender: Account;
  readonly receiver: Account;
  readonly amount: bigint;
  /** Valid start of the transaction that created it; its own transaction takes it over. */
  readonly validStart: bigint;
  readonly createdAt: bigint;
}

/** A contract whose slot 0 counts the calls. */
export interface CounterContract {
  readonly num: bigint;
  count: bigint;
}

export interface PendingAirdrop {
  readonly token: Token;
  readonly sender: Account;
  readonly receiver: Account;
  /** 0n for fungible tokens. */
  readonly serial: bigint;
  readonly amount: bigint;
}

export const emptyLedger = (random: Uint32Array, firstNum: bigint): LedgerState => ({
  random,
  nextNum: firstNum,
  blockNumber: -1n,
  runningHash: new Uint8Array(48),
  lastConsensus: 0n,
  stakingPeriod: 0n,
  centEquiv: 360_000,
  rateHour: 0n,
  accounts: new Map(),
  deletedAccounts: [],
  users: [],
  hollow: [],
  fungible: [],
  nfts: [],
  deletedTokens: [],
  topics: [],
  deletedTopics: [],
  files: [],
  schedules: [],
  contracts: [],
  airdrops: [],
  countsByType: new Map(),
  countsByResult: new Map(),
  hbarTransfers: 0,
});

/** Removes an element in constant time; the order of the rest changes, deterministically. */
export const removeAt = <T>(values: T[], index: number): void => {
  const last = values.pop() as T;
  if (index < values.length) values[index] = last;
};

export const removeFrom = <T>(values: T[], value: T): void => {
  const index = values.indexOf(value);
  if (index >= 0) removeAt(values, index);
};
