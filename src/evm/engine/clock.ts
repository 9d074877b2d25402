/** Keeps a run within its time and lets its thread do other things now and then. */
import { setImmediate } from 'node:timers/promises';
import { KagamiError } from '../../errors/kagami-error.ts';

/** How long a run may keep its thread to itself. */
const YIELD_AFTER_MS = 50;

/** Cheap operations between two looks at the clock. */
const TICKS_PER_LOOK = 500;

/** Gas of work that is priced by its time, between two looks: one to two milliseconds. */
const GAS_PER_LOOK = 30_000;

export class RunClock {
  readonly #deadlineMs: number;
  readonly #isInterrupted: () => boolean;
  #yieldedMs = performance.now();
  #ticks = 0;
  #gas = 0;

  constructor(deadlineMs: number | undefined, isInterrupted: () => boolean = () => false) {
    this.#deadlineMs = deadlineMs ?? Number.POSITIVE_INFINITY;
    this.#isInterrupted = isInterrupted;
  }

  /** Counts an operation that takes microseconds; true when it is time to look. */
  tick(): boolean {
    this.#ticks += 1;
    return this.#ticks % TICKS_PER_LOOK === 0;
  }

  /** Counts work that is about to be done; true when it is time to look. */
  spend(gas: number): boolean {
    this.#gas += gas;
    if (this.#gas < GAS_PER_LOOK) return false;
    this.#gas = 0;
    return true;
  }

  /** @throws KagamiError SIMULATION_TIMEOUT past the deadline, SIMULATION_INTERRUPTED when the run is to make room. */
  async look(): Promise<void> {
    const now = performance.now();
    if (now > this.#deadlineMs) {
      throw new KagamiError('SIMULATION_TIMEOUT', 'The simulation took longer than the time a request has');
    }
    if (this.#isInterrupted()) {
      throw new KagamiError('SIMULATION_INTERRUPTED', 'The simulation made room for others');
    }
    if (now - this.#yieldedMs < YIELD_AFTER_MS) return;
    await setImmediate();
    this.#yieldedMs = performance.now();
  }
}
