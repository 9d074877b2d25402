/** Measures nodes that are not in use, by asking each for the block that comes next and seeing when it is there. */
import type { BlockNodeState, BlockNodes } from './block-nodes.ts';

export interface LatencyProbesOptions {
  readonly nodes: BlockNodes;
  /** Milliseconds between two rounds. */
  readonly frequencyMs: number;
  /** Milliseconds that a probe may take. */
  readonly timeoutMs: number;
  /** Nodes that are probed in one round, less one. */
  readonly backlog: number;
  readonly clock?: () => number;
}

/** Blocks whose consensus time is kept for probes that answer later. */
const KEPT_ENDS = 64;

interface Arrival {
  readonly node: BlockNodeState;
  readonly number: bigint;
  /** Milliseconds since 1970. */
  readonly time: number;
}

export class LatencyProbes {
  readonly #options: LatencyProbesOptions;
  readonly #clock: () => number;
  /** Consensus end of proven blocks, nanoseconds. */
  readonly #ends = new Map<bigint, bigint>();
  #arrivals: Arrival[] = [];
  #turn = 0;
  #nextRound = Number.NEGATIVE_INFINITY;
  readonly #running = new Set<BlockNodeState>();

  constructor(options: LatencyProbesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
  }

  /** A block that `node` gave is proven. @param consensusEnd nanoseconds */
  proved(node: BlockNodeState, number: bigint, receivedTime: number, consensusEnd: bigint): void {
    node.latency.measured(latencyMs(receivedTime, consensusEnd));
    this.#ends.set(number, consensusEnd);
    for (const old of this.#ends.keys()) {
      if (this.#ends.size <= KEPT_ENDS) break;
      this.#ends.delete(old);
    }
    this.#arrivals = this.#arrivals.filter((arrival) => !this.#settle(arrival));
  }

  /** Starts a round if it is time for one. @param next the block that comes next */
  probe(current: BlockNodeState, next: bigint, signal: AbortSignal): void {
    const now = this.#clock();
    if (now < this.#nextRound) return;
    this.#nextRound = now + this.#options.frequencyMs;
    const rivals = this.#options.nodes.rivalsOf(current).filter((node) => !this.#running.has(node));
    const count = Math.min(rivals.length, this.#options.backlog + 1);
    for (let i = 0; i < count; i++) {
      void this.#ask(rivals[this.#turn++ % rivals.length] as BlockNodeState, next, signal);
    }
  }

  async #ask(node: BlockNodeState, number: bigint, stop: AbortSignal): Promise<void> {
    this.#running.add(node);
    const signal = AbortSignal.any([stop, AbortSignal.timeout(this.#options.timeoutMs)]);
    let received: number | undefined;
    try {
      for await (const block of node.client.blocks({ from: number, to: number, signal })) received = block.receivedTime;
    } catch {
      if (!stop.aborted) this.#options.nodes.failed(node, number);
    } finally {
      this.#running.delete(node);
    }
    if (stop.aborted) return;
    const arrival = received === undefined ? undefined : { node, number, time: received };
    if (arrival === undefined) node.latency.missed();
    else if (!this.#settle(arrival)) this.#arrivals = [...this.#arrivals.slice(-KEPT_ENDS), arrival];
  }

  #settle({ node, number, time }: Arrival): boolean {
    const end = this.#ends.get(number);
    if (end === undefined) return false;
    node.latency.measured(latencyMs(time, end));
    return true;
  }
}

/** Milliseconds from consensus to receipt; clocks may differ a little. */
export const latencyMs = (receivedTime: number, consensusEnd: bigint): number =>
  Math.max(0, receivedTime - Number(consensusEnd / 1_000n) / 1_000);
