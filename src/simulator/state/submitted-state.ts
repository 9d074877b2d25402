import type { Account, Token, Topic } from './ledger-entities.ts';

/** What clients made, which the activities of simulated users leave alone. */
export interface SubmittedState {
  /** By number. */
  readonly accounts: Map<bigint, SubmittedAccount>;
  /** By number. */
  readonly topics: Map<bigint, SubmittedTopic>;
  /** Transactions of the last minutes, by what `transactionKey` makes of their ids. */
  readonly handled: Map<string, HandledTransaction>;
}

/** What the account book does not keep of an account. */
export interface SubmittedAccount {
  /** Consensus time of its creation, nanoseconds. */
  readonly created: bigint;
  /** Seconds. */
  readonly autoRenewPeriod: bigint;
}

/**
 * What each message costs beside the network's fee ([HIP-991](https://hips.hedera.com/hip/hip-991)): tinybars, or units
 * of a token.
 */
export interface SubmittedTopicFee {
  readonly amount: bigint;
  readonly collector: Account;
  readonly token?: Token;
}

export interface SubmittedTopic extends Topic {
  readonly fees: readonly SubmittedTopicFee[];
  /** Serialized Keys; whose messages have the signature of one of them cost nothing more. */
  readonly exemptKeys: readonly Uint8Array[];
  readonly feeScheduleKey: Uint8Array | undefined;
  /** Serialized Keys, if there are any. */
  readonly adminKey: Uint8Array | undefined;
  readonly submitKey: Uint8Array | undefined;
  /** Seconds. */
  readonly autoRenewPeriod: bigint;
  /** Account number. */
  readonly autoRenewAccount: bigint | undefined;
  /** Consensus time of its creation, nanoseconds. */
  readonly created: bigint;
}

export interface HandledTransaction {
  /** Nanoseconds. */
  readonly validStart: bigint;
  /** Consensus time of the newest of its records, nanoseconds. */
  readonly at: bigint;
  /** Serialized TransactionRecords of the transaction and its children, in order of consensus. */
  readonly records: readonly Uint8Array[];
}

export const nothingSubmitted = (): SubmittedState => ({
  accounts: new Map(),
  topics: new Map(),
  handled: new Map(),
});
