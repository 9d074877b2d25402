/** What a simulated ledger consists of: accounts, tokens, topics, contracts and the rest, as plain data. */
import type { AccountKey } from '../keys/account-key.ts';

/** What contracts left in records and sidecars so far. */
export interface EvmCounts {
  results: number;
  logs: number;
  actions: number;
  stateChanges: number;
}

export interface Account {
  readonly num: bigint;
  key: AccountKey | undefined;
  /** The serialized Key that the ledger knows, empty for none. */
  keyBytes: Uint8Array;
  memo: string;
  balance: bigint;
  readonly alias: Uint8Array;
  /** -1: without limit. */
  autoAssociations: number;
  receiverSignatureRequired: boolean;
  stakedNodeId: number | undefined;
  stakedAccount: bigint | undefined;
  declineReward: boolean;
  /** First staking period that has not been rewarded yet. */
  unrewardedFrom: bigint;
  deleted: boolean;
  /** By token; this and the collections below are changed by the functions of `sparse.ts` alone. */
  holdings: ReadonlyMap<bigint, Holding>;
  /** Granted to spenders, by their number. */
  hbarAllowances: ReadonlyMap<bigint, bigint>;
  /** Granted to spenders, by `token/spender`. */
  tokenAllowances: ReadonlyMap<string, bigint>;
  /** Spenders that may move every NFT of a token, as `token/spender`. */
  approvedForAll: ReadonlySet<string>;
  /** Transactions that the EVM has seen from it. */
  ethereumNonce: bigint;
  /** Address of the code that it delegates to ([EIP-7702](https://eips.ethereum.org/EIPS/eip-7702)). */
  delegation: Uint8Array | undefined;
  hooks: ReadonlyMap<bigint, Hook>;
  /** Position in `users`, -1 when not there. */
  userIndex: number;
  /** Owners of tokens, topics and files, and fee collectors: never deleted, and they keep their key. */
  pinned: boolean;
}

/** Code that has a say in an account's transfers ([HIP-1195](https://hips.hedera.com/hip/hip-1195)). */
export interface Hook {
  /** Number of the contract whose code it is. */
  readonly contract: bigint;
  /** Values without leading zeros by slot (32 bytes), both hex; none for zero. */
  readonly slots: Map<string, string>;
  deleted: boolean;
}

/** An account's relation to a token; NFTs are counted. */
export interface Holding {
  balance: bigint;
  frozen: boolean;
  kyc: boolean;
}

interface FeeFrame {
  /** Account number. */
  readonly collector: bigint;
  /** Whether collectors of any fee of the token are exempt from this one. */
  readonly allExempt?: boolean;
}

export type TokenFee =
  /** Tinybars, or units of the token itself. */
  | (FeeFrame & { readonly kind: 'fixed'; readonly amount: bigint; readonly inOwnToken?: boolean })
  | (FeeFrame & {
      readonly kind: 'fractional';
      readonly numerator: bigint;
      readonly denominator: bigint;
      readonly minimum: bigint;
      readonly maximum: bigint;
      /** Whether the sender pays it on top of what arrives. */
      readonly netOfTransfers?: boolean;
    })
  | (FeeFrame & {
      readonly kind: 'royalty';
      readonly numerator: bigint;
      readonly denominator: bigint;
      /** What the receiver pays when the NFT brings nothing: tinybars, or units of a token. */
      readonly fallback?: { readonly amount: bigint; readonly token?: Token };
    });

export interface Token {
  readonly num: bigint;
  readonly nft: boolean;
  readonly decimals: number;
  treasury: Account;
  name: string;
  memo: string;
  readonly hasFreezeKey: boolean;
  readonly hasKycKey: boolean;
  /** Whether accounts are frozen when they are associated. */
  readonly frozenAtFirst: boolean;
  /** Whether it keeps its fees and is never deleted, because it shows what others lack. */
  readonly kept: boolean;
  /** Largest supply, if there is one. */
  readonly maxSupply: bigint | undefined;
  supply: bigint;
  paused: boolean;
  deleted: boolean;
  fees: readonly TokenFee[];
  /** Accounts associated with the token. */
  readonly holders: Account[];
  /** Owner of each live serial number. */
  readonly owners: Map<bigint, Account>;
  nextSerial: bigint;
  /** Metadata of serial numbers that changed it since they were minted. */
  readonly metadata: Map<bigint, string>;
  /** Who may move a serial number besides its owner. */
  readonly spenders: Map<bigint, bigint>;
}

export interface Topic {
  readonly num: bigint;
  /** The serialized TopicID. */
  readonly idBytes: Uint8Array;
  readonly creator: Account;
  readonly hasSubmitKey: boolean;
  /**
   * What a message costs beside its fee ([HIP-991](https://hips.hedera.com/hip/hip-991)), for `collector`: tinybars, or
   * units of a token.
   */
  fee: { readonly amount: bigint; readonly collector: Account; readonly token?: Token } | undefined;
  /** Whose messages cost nothing more. */
  readonly exempt: readonly Account[];
  memo: string;
  sequence: bigint;
  runningHash: Uint8Array;
}

/** A message in chunks, the first of which is sent. */
export interface OpenMessage {
  readonly topic: Topic;
  readonly payer: Account;
  /** Valid start of the first chunk's transaction. */
  readonly validStart: bigint;
  readonly total: number;
  next: number;
}

export interface SimulatedFile {
  readonly num: bigint;
  readonly owner: Account;
  /** The serialized KeyList; files have no Key. */
  readonly keyBytes: Uint8Array;
  memo: string;
  size: number;
  /** Nobody but the network can undo it. */
  systemDeleted: boolean;
  /** Content, kept where a later transaction needs it. */
  readonly content?: Uint8Array;
}

/** A transfer that waits for its sender's signature, or for its time. */
export interface Schedule {
  readonly num: bigint;
  readonly creator: Account;
  /** The serialized Key that may delete it: the creator's when it was made. */
  readonly keyBytes: Uint8Array;
  readonly payer: Account;
  readonly sender: Account;
  readonly receiver: Account;
  readonly amount: bigint;
  /** Valid start of the transaction that created it; its own transaction takes it over. */
  readonly validStart: bigint;
  /** When it is dropped, or executed if it waits for that. */
  readonly expiry: bigint;
  /** Whether the body names the expiry. */
  readonly longTerm: boolean;
  readonly waitForExpiry: boolean;
  signed: boolean;
  executed: bigint | undefined;
  deleted: boolean;
}

export type ContractKind = 'counter' | 'factory' | 'mover';

/** A contract of a few known codes. */
export interface SimulatedContract {
  readonly num: bigint;
  readonly account: Account;
  readonly kind: ContractKind;
  /** Bloom filter of the logs of a counter, all of which have the same address and topic. */
  readonly bloom: Uint8Array;
  /** Value of slot 0: how often a counter was called. */
  count: bigint;
  /** Contracts that it created, plus one. */
  nonce: bigint;
  readonly created: bigint[];
  logs: number;
}

/** A contract compiled from Solidity: made by the founding, called by nobody later. */
export interface PublishedContract {
  readonly num: bigint;
  readonly account: Account;
  readonly runtime: Uint8Array;
  /** Values without leading zeros by slot (32 bytes), both hex. */
  readonly storage: Map<string, string>;
  /** Contracts that it created, plus one. */
  nonce: bigint;
  readonly created: bigint[];
  logs: number;
}

export interface PendingAirdrop {
  readonly token: Token;
  readonly sender: Account;
  readonly receiver: Account;
  /** 0n for fungible tokens. */
  readonly serial: bigint;
  readonly amount: bigint;
  state: 'PENDING' | 'CANCELLED' | 'CLAIMED';
}

export interface NetworkNode {
  readonly nodeId: bigint;
  account: bigint;
  declineReward: boolean;
  registered: readonly bigint[];
  deleted: boolean;
}

export interface RegisteredNode {
  readonly id: bigint;
  description: string;
  /** Sorted numbers of the services that it offers: 1 block node, 2 general, 3 mirror node, 4 relay. */
  types: readonly number[];
  deleted: boolean;
}
