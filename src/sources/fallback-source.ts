import type { Electorate } from './electorate.ts';
import { isSourceFailure } from './source-failure.ts';
import type { NodeListing, StreamNode, StreamSource } from './stream-source.ts';

export interface RankedSource {
  readonly source: StreamSource;
  /** Milliseconds for which it is left alone after a failure. */
  readonly backoffMs: number;
}

interface RankedState extends RankedSource {
  restsUntil: number;
}

/**
 * Several sources of one stream, the preferred one first. One that fails is left alone for its back-off while the next
 * ones are asked; those that rest are asked all the same when no other answers.
 */
export class FallbackSource implements StreamSource {
  readonly description: string;
  readonly #sources: readonly RankedState[];
  readonly #clock: () => number;

  /**
   * @param sources all with the same nodes
   * @param clock milliseconds since any moment
   */
  constructor(sources: readonly RankedSource[], clock: () => number = () => performance.now()) {
    this.#sources = sources.map((ranked) => ({ ...ranked, restsUntil: Number.NEGATIVE_INFINITY }));
    this.#clock = clock;
    this.description = [...new Set(sources.map(({ source }) => source.description))].join(', else ');
  }

  async nodes(electorate: Electorate): Promise<readonly StreamNode[]> {
    const [first] = await Promise.all(this.#sources.map(({ source }) => source.nodes(electorate)));
    return first ?? [];
  }

  list(node: StreamNode, after: bigint, limit: number): Promise<NodeListing> {
    return this.#ask((source) => source.list(node, after, limit));
  }

  read(node: StreamNode, name: string): Promise<Uint8Array | undefined> {
    return this.#ask((source) => source.read(node, name));
  }

  readSidecar(
    node: StreamNode,
    base: string,
    id: number,
  ): Promise<{ readonly name: string; readonly bytes: Uint8Array } | undefined> {
    return this.#ask((source) => source.readSidecar(node, base, id));
  }

  async waitForChange(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    await this.#sources[0]?.source.waitForChange(timeoutMs, signal);
  }

  close(): void {
    for (const { source } of this.#sources) source.close();
  }

  /** The first answer. One that has not what is asked for isn't the last word: stores may lag behind each other. */
  async #ask<T>(action: (source: StreamSource) => Promise<T>): Promise<T> {
    let answer: { readonly value: T } | undefined;
    let failure: unknown;
    for (const { ranked, rests } of this.#inOrder()) {
      if (rests && answer !== undefined) break;
      try {
        const value = await action(ranked.source);
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
  #inOrder(): readonly { readonly ranked: RankedState; readonly rests: boolean }[] {
    const now = this.#clock();
    return this.#sources
      .map((ranked) => ({ ranked, rests: ranked.restsUntil > now }))
      .sort((a, b) => Number(a.rests) - Number(b.rests));
  }
}
