import { isSourceFailure } from './source-failure.ts';

export interface RankedStore<S> {
  readonly store: S;
  /** Milliseconds for which it is left alone after a failure. */
  readonly backoffMs: number;
}

interface RankedState<S> extends RankedStore<S> {
  restsUntil: number;
}

/**
 * Several stores of the same files, the preferred one first. One that fails is left alone for its back-off while the next
 * ones are asked; those that rest are asked all the same when no other answers.
 */
export class RankedStores<S> {
  readonly #stores: readonly RankedState<S>[];
  readonly #clock: () => number;

  /** @param clock milliseconds since any moment */
  constructor(stores: readonly RankedStore<S>[], clock: () => number = () => performance.now()) {
    this.#stores = stores.map((ranked) => ({ ...ranked, restsUntil: Number.NEGATIVE_INFINITY }));
    this.#clock = clock;
  }

  /**
   * The first answer. One that has not what is asked for isn't the last word: stores may lag behind each other.
   * @throws what the first store that failed threw, when none answers
   */
  async ask<T>(action: (store: S) => Promise<T>): Promise<T> {
    let answer: { readonly value: T } | undefined;
    let failure: unknown;
    for (const { ranked, rests } of this.#inOrder()) {
      if (rests && answer !== undefined) break;
      try {
        const value = await action(ranked.store);
        ranked.restsUntil = Number.NEGATIVE_INFINITY;
        if (value !== undefined) return value;
        answer = { value };
      } catch (error) {
        if (!isSourceFailure(error)) throw error;
        failure ??= error;
        // A node that rests there was counted as a failure when it failed.
        if (error.details.resting !== true) ranked.restsUntil = this.#clock() + ranked.backoffMs;
      }
    }
    if (answer !== undefined) return answer.value;
    throw failure;
  }

  /** Those that rest come last. */
  #inOrder(): readonly { readonly ranked: RankedState<S>; readonly rests: boolean }[] {
    const now = this.#clock();
    return this.#stores
      .map((ranked) => ({ ranked, rests: ranked.restsUntil > now }))
      .sort((a, b) => Number(a.rests) - Number(b.rests));
  }
}
