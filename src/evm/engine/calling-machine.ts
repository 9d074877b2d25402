/** What a machine runs, and what it is to the operations that reach beyond their frame. */
import type { EntityId } from '../../ledger/entity-id.ts';
import type { AddressHex } from '../state/records.ts';
import type { RunContext, SystemContract } from '../system-contracts/system-contract.ts';
import type { Accounts } from './accounts.ts';
import type { RunClock } from './clock.ts';
import type { Halt } from './halts.ts';
import type { CodeCache } from './interpreter/code.ts';
import type { RunWords } from './interpreter/exit.ts';
import type { Keccak } from './keccak.ts';
import type { Precompiles } from './precompiles/precompiles.ts';
import type { RunEnvironment } from './run.ts';
import type { RunState } from './run-state.ts';
import type { Tracing } from './tracing.ts';
import type { VersionRules } from './versions.ts';

export interface CallMessage {
  readonly caller: AddressHex;
  /** In whose name the code runs. */
  readonly recipient: AddressHex;
  /** Whose code runs. */
  readonly target: AddressHex;
  /** Tinybars that the code sees as sent. */
  readonly value: bigint;
  /** Whether value leaves the caller; not so for DELEGATECALL and CALLCODE. */
  readonly movesValue: boolean;
  readonly input: Uint8Array;
  readonly gas: number;
  readonly isStatic: boolean;
  readonly depth: number;
}

export interface CreateMessage {
  readonly caller: AddressHex;
  /** Absent for a top-level creation, which is addressed by its number; one that happens again brings its number. */
  readonly address: AddressHex | undefined;
  readonly value: bigint;
  readonly initCode: Uint8Array;
  readonly gas: number;
  readonly depth: number;
}

export interface FrameResult {
  readonly outcome: 'success' | 'revert' | Halt;
  readonly output: Uint8Array;
  readonly gasLeft: number;
  /** Callers that go down with a halted frame. */
  readonly haltsCallers: number;
}

export interface CreateResult extends FrameResult {
  readonly address: AddressHex;
  readonly id: EntityId;
}

/** What lasts longer than a run. */
export interface MachineTools {
  readonly keccak: Keccak;
  readonly precompiles: Precompiles;
  readonly systemContracts: ReadonlyMap<AddressHex, SystemContract>;
  readonly codes: CodeCache;
  /** Selectors whose value is a fee that the token service takes. */
  readonly feeSelectors: ReadonlySet<number>;
}

/** What belongs to one run. */
export interface MachineRun {
  readonly environment: RunEnvironment;
  readonly context: RunContext;
  readonly state: RunState;
  readonly accounts: Accounts;
  readonly rules: VersionRules;
  readonly words: RunWords;
  readonly clock: RunClock;
  readonly tracing: Tracing | undefined;
}

/** A machine as calls, creations and other operations on the world see it. */
export interface CallingMachine {
  readonly tools: MachineTools;
  readonly run: MachineRun;
  readonly state: RunState;
  readonly rules: VersionRules;
  readonly words: RunWords;
  readonly keccak: Keccak;
  /** Value that a contract gives away when it destroys itself. Returns the gas it takes. */
  moveAll(from: AddressHex, to: AddressHex, value: bigint): Promise<number>;
  call(message: CallMessage): Promise<FrameResult>;
  create(message: CreateMessage): Promise<CreateResult>;
}
