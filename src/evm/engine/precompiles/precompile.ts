import type { RunClock } from '../clock.ts';

/** One of Ethereum's precompiled contracts. */
export interface Precompile {
  /** Gas of a call; undefined for input that is refused whatever is paid for it. */
  price(input: Uint8Array): number | undefined;
  /**
   * Output, or undefined for input that is refused, which takes all gas. What takes longer than a few milliseconds looks
   * at the clock meanwhile.
   * @throws KagamiError SIMULATION_TIMEOUT past the deadline.
   */
  run(input: Uint8Array, clock: RunClock): Uint8Array | undefined | Promise<Uint8Array | undefined>;
}

/** Price by the words of the input. */
export const wordPrice =
  (base: number, perWord: number) =>
  (input: Uint8Array): number =>
    base + perWord * Math.ceil(input.length / 32);
