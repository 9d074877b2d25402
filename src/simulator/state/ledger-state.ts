import type { BlockChainState } from '../blocks/block-chain.ts';
import type {
  Account,
  EvmCounts,
  NetworkNode,
  OpenMessage,
  PendingAirdrop,
  PublishedContract,
  RegisteredNode,
  Schedule,
  SimulatedContract,
  SimulatedFile,
  Token,
  Topic,
} from './ledger-entities.ts';
import { nothingSubmitted, type SubmittedState } from './submitted-state.ts';

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
