/** Turns what a frame did into trace steps. */
import type { WordHex } from '../state/records.ts';
import type { Frame } from './interpreter/frame.ts';
import { NAMES } from './interpreter/opcodes.ts';
import type { Tracer } from './run.ts';
import type { RunState } from './run-state.ts';
import { bytesToHex } from './words.ts';

const NOTHING = new Uint8Array();
const NO_STORAGE: ReadonlyMap<WordHex, WordHex> = new Map();
const NO_STACK: readonly bigint[] = [];

const SSTORE = 0x55;

export interface StepFacts {
  readonly op: number;
  readonly pc: number;
  readonly gas: number;
  readonly gasCost: number;
  readonly revertData?: Uint8Array | undefined;
}

export class Tracing {
  readonly #tracer: Tracer;
  readonly #state: RunState;
  #storage: ReadonlyMap<WordHex, WordHex> | undefined;
  #steps = 0;

  constructor(tracer: Tracer, state: RunState) {
    this.#tracer = tracer;
    this.#state = state;
  }

  /** Steps shown so far. */
  get steps(): number {
    return this.#steps;
  }

  /** To be called when a frame has been undone. */
  forgetStorage(): void {
    this.#storage = undefined;
  }

  async step(frame: Frame, { op, pc, gas, gasCost, revertData }: StepFacts): Promise<void> {
    if (op === SSTORE) this.forgetStorage();
    this.#steps += 1;
    await this.#tracer.step({
      pc,
      op: NAMES[op] ?? 'INVALID',
      gas: BigInt(gas),
      gasCost: BigInt(gasCost),
      depth: frame.depth,
      stack: this.#tracer.stack ? frame.stack.slice(0, frame.sp) : NO_STACK,
      memory: this.#tracer.memory ? frame.memory.peek(0, frame.memory.size) : NOTHING,
      storage: this.#tracer.storage ? this.#writtenSlots() : NO_STORAGE,
      reason: revertData === undefined ? undefined : `0x${bytesToHex(revertData)}`,
    });
  }

  /** A call of a precompile or system contract, which has no instructions to show. */
  async nativeCall(depth: number, gas: number, gasCost: number, revertData: Uint8Array | undefined): Promise<void> {
    await this.#tracer.step({
      pc: 0,
      op: '',
      gas: BigInt(gas),
      gasCost: BigInt(gasCost),
      depth,
      stack: NO_STACK,
      memory: NOTHING,
      storage: NO_STORAGE,
      reason: revertData === undefined ? undefined : `0x${bytesToHex(revertData)}`,
    });
  }

  #writtenSlots(): ReadonlyMap<WordHex, WordHex> {
    this.#storage ??= this.#state.writtenSlots();
    return this.#storage;
  }
}
