/**
 * What the engine and a system contract say to each other. A system contract is given a frame's input and the run's
 * context, changes the world, and says how the frame ends. The engine owns frames: it opens a checkpoint of the world
 * before the call and reverts it unless the frame succeeds, charges `gasUsed`, burns all gas on a halt, and appends the
 * logs of a success.
 */
import type { EntityId } from '../../ledger/entity-id.ts';
import type { AddressHex, ExchangeRate } from '../state/records.ts';
import type { World } from '../state/world.ts';

/** What of the block contracts can see. */
export interface BlockContext {
  readonly number: bigint;
  /** Seconds. */
  readonly timestamp: bigint;
  /** The record file's hash; its first 32 bytes are PREVRANDAO and the seed of the PRNG contract. */
  readonly hash: Uint8Array;
}

export interface NetworkContext {
  /** 295, 296, 297 or 298. */
  readonly chainId: bigint;
  /** `0x00` to `0x03`, as token information shows it. */
  readonly ledgerId: string;
}

/** An operation that a run triggered besides its top-level transaction: every system contract call leaves one. */
export interface ChildRecord {
  /** HAPI response code, by number. */
  readonly status: number;
}

/** Children of one run; frames that revert take their children with them as REVERTED_SUCCESS. */
export interface ChildRecords {
  /** @throws HaltError MAX_CHILD_RECORDS_EXCEEDED beyond 50. */
  add(record: ChildRecord): void;
}

/** One run. */
export interface RunContext {
  readonly world: World;
  readonly block: BlockContext;
  readonly network: NetworkContext;
  /** Consensus time of the run in nanoseconds: the wall clock's, also for past blocks. */
  readonly now: bigint;
  readonly exchangeRate: ExchangeRate;
  /** Thousandths of a tinycent per gas; 852,000 by default. */
  readonly gasPriceMilliTinycents: bigint;
  /** The account that pays. */
  readonly payerId: EntityId;
  /** Tinybars as which accounts with less count when they pay; left out: real balances. */
  readonly minimumAccountBalance?: bigint;
  readonly children: ChildRecords;
}

/** One call of a system contract. */
export interface SystemCall {
  /** Function selector and arguments. */
  readonly input: Uint8Array;
  /** `msg.sender` of the frame; for a redirect, whoever called the token, account or schedule. */
  readonly sender: AddressHex;
  /** Address whose context the frame runs in: the contract's own, or that of the facade which delegated to it. */
  readonly recipient: AddressHex;
  /** Tinybars. */
  readonly value: bigint;
  readonly gas: bigint;
  readonly isStatic: boolean;
  /** Called by DELEGATECALL or CALLCODE. */
  readonly isDelegate: boolean;
}

export interface EmittedLog {
  readonly address: AddressHex;
  /** 32 bytes each. */
  readonly topics: readonly Uint8Array[];
  readonly data: Uint8Array;
}

/** Why a frame was stopped; `statusOf` in engine/halts.ts gives the HAPI status that a top-level halt ends with. */
export type HaltReason =
  | 'INVALID_OPERATION'
  | 'ILLEGAL_STATE_CHANGE'
  | 'INSUFFICIENT_GAS'
  | 'PRECOMPILE_ERROR'
  | 'NOT_SUPPORTED'
  | 'INVALID_CONTRACT_ID'
  | 'MAX_CHILD_RECORDS_EXCEEDED'
  | 'INVALID_SIGNATURE';

export type SystemResult =
  | {
      readonly outcome: 'success';
      readonly output: Uint8Array;
      readonly gasUsed: bigint;
      readonly logs?: readonly EmittedLog[];
    }
  | { readonly outcome: 'revert'; readonly output: Uint8Array; readonly gasUsed: bigint }
  | { readonly outcome: 'halt'; readonly reason: HaltReason };

export interface SystemContract {
  /** Last bytes of its address: 0x167 and so on. */
  readonly number: bigint;
  /** @throws KagamiError when the database fails, and what `run.children` throws. */
  call(call: SystemCall, run: RunContext): Promise<SystemResult>;
}
