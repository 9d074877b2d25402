import type { AccountKey } from './account-key.ts';
import type { BlockChainState } from './blocks/block-chain.ts';
import { nothingSubmitted, type SubmittedState } from './submissions.ts';

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
  /** Where the chain of blocks stands; undefined while the ledger is record files alone. */
  blockChain?: BlockChainState;
  /** Consensus time of the newest transaction. */
  lastConsensus: bigint;
  /** Staking period (whole periods since the epoch) of the newest node stake update, in `stakingPeriodNanos`. */
  stakingPeriod: bigint;
  /**
   * Tinybars that nodes have earned since that update and not been paid, by account number
   * ([HIP-1259](https://hips.hedera.com/hip/hip-1259)).
   */
  readonly nodeFees: Map<bigint, bigint>;
  /** Cents that 30,000 hbar are worth. */
  centEquiv: number;
  /** Hour (whole hours since the epoch) of the newest exchange rates. */
  rateHour: bigint;
  /** Live accounts and contracts. */
  readonly accounts: Map<bigint, Account>;
  /** Deleted accounts and contracts. */
  readonly deletedAccounts: Account[];
  /** Live ordinary accounts with a key; the ones that pay and are paid. */
  readonly users: Account[];
  /** Live accounts that were made by a transfer to an EVM address and have no key yet. */
  readonly hollow: Account[];
  readonly fungible: Token[];
  readonly nfts: Token[];
  readonly deletedTokens: Token[];
  readonly topics: Topic[];
  readonly deletedTopics: Topic[];
  /** Files that their owners or the network may change. */
  readonly files: SimulatedFile[];
  /** Files that are gone, or hidden by the network until it restores them. */
  readonly deletedFiles: SimulatedFile[];
  /** Call data of Ethereum transactions as hex text. */
  readonly callDataFiles: SimulatedFile[];
  /** Schedules that wait. */
  readonly schedules: Schedule[];
  /** The newest schedules that don't wait any longer. */
  readonly closedSchedules: Schedule[];
  readonly contracts: SimulatedContract[];
  readonly deletedContracts: SimulatedContract[];
  /** Contracts compiled from Solidity, by the founding. */
  readonly published: PublishedContract[];
  readonly airdrops: PendingAirdrop[];
  /** The newest airdrops that don't wait any longer. */
  readonly closedAirdrops: PendingAirdrop[];
  /** Consensus nodes by id, removed ones included. */
  readonly nodes: NetworkNode[];
  readonly registeredNodes: RegisteredNode[];
  /** Accounts with hooks. */
  readonly hookOwners: Account[];
  /** Messages of which not all chunks are sent. */
  readonly openMessages: OpenMessage[];
  /** Identity of the ledger, once published. */
  ledgerId: Uint8Array | undefined;
  /** Where the introduction stands: steps that are over, and how often the next one found nothing to do. */
  readonly introduction: { done: number; tries: number };
  /** How many of the ways to fail, and of the network's own transactions, had their turn. */
  readonly turns: { failure: number; network: number };
  /** Records by `type * RESULTS + receipt status`. */
  readonly counts: Map<number, number>;
  /** Entries of all transfer lists so far. */
  hbarTransfers: number;
  readonly evm: EvmCounts;
  /** Ethereum transactions by their type. */
  readonly ethereumTypes: Map<number, number>;
  readonly submitted: SubmittedState;
}

/** Larger than every receipt status. */
export const RESULTS = 4_096;

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

export const emptyLedger = (random: Uint32Array, firstNum: bigint): LedgerState => ({
  random,
  nextNum: firstNum,
  blockNumber: -1n,
  runningHash: new Uint8Array(48),
  lastConsensus: 0n,
  stakingPeriod: 0n,
  nodeFees: new Map(),
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
  deletedFiles: [],
  callDataFiles: [],
  schedules: [],
  closedSchedules: [],
  contracts: [],
  deletedContracts: [],
  published: [],
  airdrops: [],
  closedAirdrops: [],
  nodes: [],
  registeredNodes: [],
  hookOwners: [],
  openMessages: [],
  ledgerId: undefined,
  introduction: { done: 0, tries: 0 },
  turns: { failure: 0, network: 0 },
  counts: new Map(),
  hbarTransfers: 0,
  evm: { results: 0, logs: 0, actions: 0, stateChanges: 0 },
  ethereumTypes: new Map(),
  submitted: nothingSubmitted(),
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

const REMEMBERED = 1_000;

/** Appends to a list of things that are over; a ledger that runs for years remembers the newest only. */
export const remember = <T>(values: T[], value: T): void => {
  values.push(value);
  if (values.length >= 2 * REMEMBERED) values.splice(0, REMEMBERED);
};
