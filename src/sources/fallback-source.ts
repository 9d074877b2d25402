import type { Electorate } from './electorate.ts';
import { type RankedStore, RankedStores } from './ranked-stores.ts';
import type { NodeListing, StreamNode, StreamSource } from './stream-source.ts';

/** Several sources of one stream, the preferred one first: `RankedStores` says when which is asked. */
export class FallbackSource implements StreamSource {
  readonly description: string;
  readonly #sources: readonly StreamSource[];
  readonly #ranked: RankedStores<StreamSource>;

  /**
   * @param sources all with the same nodes
   * @param clock milliseconds since any moment
   */
  constructor(sources: readonly RankedStore<StreamSource>[], clock?: () => number) {
    this.#sources = sources.map(({ store }) => store);
    this.#ranked = new RankedStores(sources, clock);
    this.description = [...new Set(this.#sources.map(({ description }) => description))].join(', else ');
  }

  async nodes(electorate: Electorate): Promise<readonly StreamNode[]> {
    const [first] = await Promise.all(this.#sources.map((source) => source.nodes(electorate)));
    return first ?? [];
  }

  list(node: StreamNode, after: bigint, limit: number): Promise<NodeListing> {
    return this.#ranked.ask((source) => source.list(node, after, limit));
  }

  read(node: StreamNode, name: string): Promise<Uint8Array | undefined> {
    return this.#ranked.ask((source) => source.read(node, name));
  }

  readSidecar(node: StreamNode, name: string): Promise<Uint8Array | undefined> {
    return this.#ranked.ask((source) => source.readSidecar(node, name));
  }

  async waitForChange(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    await this.#sources[0]?.waitForChange(timeoutMs, signal);
  }

  close(): void {
    for (const source of this.#sources) source.close();
  }
}
