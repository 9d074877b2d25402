/** What a run is given and what it gives back: the contract between the engine and those who ask it. */

import type { EntityId } from '../../ledger/entity-id.ts';
import type { Status } from '../hapi/operation.ts';
import type { AddressHex, ExchangeRate, WordHex } from '../state/records.ts';
import type { World } from '../state/world.ts';
import type { BlockContext, EmittedLog, NetworkContext } from '../system-contracts/system-contract.ts';

/** EVM rules of a network version. */
export type EvmVersion = '0.30' | '0.34' | '0.38' | '0.45' | '0.46' | '0.50' | '0.51' | '0.65' | '0.66' | '0.67';

/** Asks to let code of a contract run in the name of an account. */
export interface Authorization {
  /** 0n: on every network. */
  readonly chainId: bigint;
  /** Whose code it is; all zeros take a delegation back. */
  readonly delegate: AddressHex;
  /** That the account must have. */
  readonly nonce: bigint;
  /** Who signed it; undefined where nobody did. */
  readonly authority: AddressHex | undefined;
}

export interface RunTransaction {
  /** Absent or all zeros without value: the treasury 0.0.2 calls. */
  readonly from: AddressHex | undefined;
  /** Absent or all zeros: `data` is init code. */
  readonly to: AddressHex | undefined;
  /** Tinybars. */
  readonly value: bigint;
  readonly gas: bigint;
  readonly data: Uint8Array;
  /** Where a creation puts its contract, if that is known; else it takes the next number. */
  readonly newAddress?: AddressHex | undefined;
  /** Of an Ethereum transaction of type 4. */
  readonly authorizations?: readonly Authorization[] | undefined;
}

/**
 * One executed instruction, after it took effect, or a call of a precompile or system contract (`op` is
 * empty). Calls and creations are shown when they begin, their operands still on the stack; `pc` is the next one's
 * except for them, for what ends a frame, and for what halts.
 */
export interface TraceStep {
  readonly pc: number;
  readonly op: string;
  readonly gas: bigint;
  readonly gasCost: bigint;
  readonly depth: number;
  /** Only when asked for. Valid during the call only: copy what is kept. */
  readonly stack: readonly bigint[];
  readonly memory: Uint8Array;
  /** Slots written so far in the run; the lowest contract wins where several wrote one slot. */
  readonly storage: ReadonlyMap<WordHex, WordHex>;
  /** Data of a revert as hex with prefix. */
  readonly reason: string | undefined;
}

export interface Tracer {
  readonly stack: boolean;
  readonly memory: boolean;
  readonly storage: boolean;
  /** A promise is awaited, so that a slow receiver holds the run back. */
  step(step: TraceStep): void | Promise<void>;
}

export interface RunEnvironment {
  readonly world: World;
  readonly block: BlockContext;
  readonly network: NetworkContext;
  readonly version: EvmVersion;
  readonly exchangeRate: ExchangeRate;
  /** Thousandths of a tinycent per gas. */
  readonly gasPriceMilliTinycents: bigint;
  /** Consensus time of the run in nanoseconds. */
  readonly now: bigint;
  /** First 32 bytes of the hash of a block up to the current one; undefined for one that is not known. */
  readonly blockHash: (number: bigint) => Promise<Uint8Array | undefined>;
  /** Wall clock in milliseconds (as `performance.now()`) after which the run is stopped. */
  readonly deadlineMs?: number;
  /** Asked now and then; once it is true, the run is stopped. */
  readonly isInterrupted?: () => boolean;
  readonly tracer?: Tracer;
  /** Tinybars as which accounts with less are shown to the run; 0n shows real balances. Contracts are always real. */
  readonly minimumAccountBalance: bigint;
  /** Refuse a sender whose real balance does not pay for the value and this; absent: gas is free. */
  readonly payment?: Payment;
  /** Absent: those of networks. */
  readonly mostData?: MostData;
}

/** Bytes of call data, and of the init code of a creation. */
export interface MostData {
  readonly call: number;
  readonly creation: number;
}

export interface Payment {
  readonly gas: bigint;
  /** Tinybars per unit of gas. */
  readonly gasPrice: bigint;
}

export interface RunOutcome {
  /** `SUCCESS`, or the status that the network would have recorded. */
  readonly status: Status;
  /** Return data, revert data, or the runtime code of a creation. */
  readonly output: Uint8Array;
  /** Whether the EVM started: otherwise errors carry no data at all. */
  readonly executed: boolean;
  /** After refunds. */
  readonly gasUsed: bigint;
  /** Given back for storage that was cleared: traces of networks show the gas before that. */
  readonly refund: bigint;
  /** Distinct failed statuses of children, in order. */
  readonly childStatuses: readonly Status[];
  readonly logs: readonly EmittedLog[];
  readonly createdId: EntityId | undefined;
  /** Tinybars that the sender really had before the run; absent where it did not start. */
  readonly payerBalance?: bigint;
  /** Address of the contract that ran or was created. */
  readonly address: AddressHex | undefined;
}

/**
 * Executes one transaction on the environment's world, which holds its changes afterwards.
 * @throws KagamiError SIMULATION_TIMEOUT past the deadline, SIMULATION_INTERRUPTED when interrupted, and what the database throws.
 */
export type Execute = (transaction: RunTransaction, environment: RunEnvironment) => Promise<RunOutcome>;
