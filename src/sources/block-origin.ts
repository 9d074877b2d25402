/** One way to get blocks, as whoever walks along the chain sees it: block nodes, or block files. */
import type { KagamiError } from '../errors/kagami-error.ts';
import { streamError } from '../streams/stream-error.ts';
import type { BlockFiles } from './block-files/block-files.ts';
import type { BlockNodeAddress } from './block-node/block-node-address.ts';
import type { BlockNodeState, BlockNodes } from './block-node/block-nodes.ts';
import { LatencyProbes } from './block-node/latency-probes.ts';
import type { RawBlock } from './block-source.ts';

export interface OriginRequest {
  readonly next: bigint;
  /** Number of the last block that is wanted. */
  readonly to: bigint | undefined;
  /** Waits for blocks that are not there yet. */
  readonly follow: boolean;
  /** Ends where there is nothing more although blocks are waited for, so that another origin can be asked. */
  readonly leaveWhenDry: boolean;
  readonly acceptGaps: boolean;
  readonly signal: AbortSignal;
}

/** Blocks that come from one node, or from files. */
export interface OpenedOrigin {
  /** `BlockNode(host:port)` or `cloud`, as metrics name it. */
  readonly label: string;
  readonly blocks: AsyncGenerator<RawBlock>;
  /** A block of it is proven. @param consensusEnd nanoseconds @param waited whether it was waited for */
  proved(block: RawBlock, consensusEnd: bigint, waited: boolean): void;
  /** It has ended with a fault. @param lied one of its blocks could not be proven */
  failed(fault: KagamiError, lied: boolean): void;
  /** It has ended in good order. */
  completed(): void;
  /** Whether blocks are to be had sooner elsewhere. */
  shouldMove(): boolean;
}

export interface BlockOrigin {
  readonly kind: 'nodes' | 'files';
  readonly description: string;
  /** Number of the earliest block; undefined when there is none yet. @throws KagamiError as `open` */
  earliest(signal: AbortSignal): Promise<bigint | undefined>;
  /** Undefined when there is nothing from `next` on, and nothing is waited for. @throws KagamiError when it can't be asked */
  open(request: OriginRequest): Promise<OpenedOrigin | undefined>;
  /** Whether there is anything that could be asked. */
  isUsable(): Promise<boolean>;
  /** Milliseconds until it is worth asking again for a block that was not there so many times; of files. */
  pauseAfter?(misses: number): number;
  close(): void;
}

export class FileOrigin implements BlockOrigin {
  readonly kind = 'files';
  readonly #files: BlockFiles;

  constructor(files: BlockFiles) {
    this.#files = files;
  }

  get description(): string {
    return this.#files.description;
  }

  async isUsable(): Promise<boolean> {
    return true;
  }

  pauseAfter(misses: number): number {
    return this.#files.pauseAfter(misses);
  }

  earliest(): Promise<bigint | undefined> {
    return this.#files.earliest();
  }

  async open({ next, to, follow, leaveWhenDry, acceptGaps, signal }: OriginRequest): Promise<OpenedOrigin> {
    const blocks = this.#files.blocks({ from: next, to, signal, acceptGaps, follow: follow && !leaveWhenDry });
    return {
      label: 'cloud',
      blocks,
      proved: () => undefined,
      failed: () => undefined,
      completed: () => undefined,
      shouldMove: () => false,
    };
  }

  close(): void {
    this.#files.close();
  }
}

export interface NodeOriginOptions {
  readonly nodes: BlockNodes;
  /** Milliseconds by which another node must be faster, and that a node is kept at least. */
  readonly rescheduleLatencyMs: number;
  readonly minRescheduleMs: number;
  /** Milliseconds from receipt to proof above which latencies are ours, not the node's. */
  readonly maxPostProcessingMs: number;
  readonly probes: { readonly frequencyMs: number; readonly timeoutMs: number; readonly backlog: number };
  /** Nodes that the ledger itself names, beside those that are configured. */
  readonly discover?: () => Promise<readonly BlockNodeAddress[]>;
  readonly clock?: () => number;
}

export class NodeOrigin implements BlockOrigin {
  readonly kind = 'nodes';
  readonly #options: NodeOriginOptions;
  readonly #nodes: BlockNodes;
  readonly #probes: LatencyProbes;
  readonly #clock: () => number;

  constructor(options: NodeOriginOptions) {
    this.#options = options;
    this.#nodes = options.nodes;
    this.#clock = options.clock ?? (() => performance.now());
    this.#probes = new LatencyProbes({ nodes: options.nodes, clock: this.#clock, ...options.probes });
  }

  get description(): string {
    return this.#nodes.nodes.map(({ client }) => client.name).join(', ');
  }

  async isUsable(): Promise<boolean> {
    await this.#discover();
    return this.#nodes.size > 0;
  }

  async earliest(signal: AbortSignal): Promise<bigint | undefined> {
    await this.#discover();
    return this.#nodes.earliest(signal);
  }

  async open({ next, to, follow, acceptGaps, signal }: OriginRequest): Promise<OpenedOrigin | undefined> {
    await this.#discover();
    let last = to;
    if (!follow) {
      const newest = await this.#nodes.newest(signal);
      if (newest !== undefined && next > newest) return undefined;
      if (newest !== undefined && (last === undefined || newest < last)) last = newest;
    }
    const from = acceptGaps ? await this.#behindGap(next, signal) : next;
    const node = await this.#nodes.choose(from, follow, signal);
    return this.#opened(node, from, last, signal);
  }

  close(): void {
    this.#nodes.close();
  }

  #opened(node: BlockNodeState, next: bigint, to: bigint | undefined, stop: AbortSignal): OpenedOrigin {
    const { minRescheduleMs, rescheduleLatencyMs, maxPostProcessingMs } = this.#options;
    const nodes = this.#nodes;
    const chosenAt = this.#clock();
    const leaving = new AbortController();
    const signal = AbortSignal.any([stop, leaving.signal]);
    let isBusy = false;
    let awaited = next;
    const onSilence = async (block: bigint): Promise<void> => {
      if (!(await nodes.othersHave(node, block, signal))) return;
      const rule = `it is behind: others have block ${block}`;
      throw streamError('SOURCE_NODE_STALLED', { file: `block node ${node.client.name}`, rule });
    };
    return {
      label: `BlockNode(${node.client.name})`,
      blocks: node.client.blocks({ from: next, to, signal, onSilence }),
      proved: (block, consensusEnd, waited) => {
        nodes.proved(node);
        awaited = block.number + 1n;
        isBusy = performance.now() - block.receivedAt > maxPostProcessingMs;
        // While there is a backlog, how old blocks are says nothing of the node.
        if (!waited) return;
        this.#probes.proved(node, block.number, block.receivedTime, consensusEnd);
        this.#probes.probe(node, block.number + 1n, stop);
      },
      failed: (_fault, lied) => {
        leaving.abort();
        nodes.failed(node, awaited, lied);
      },
      completed: () => {
        leaving.abort();
        nodes.completed(node);
      },
      shouldMove: () => {
        const own = node.latency.averageMs;
        if (isBusy || own === undefined || this.#clock() - chosenAt < minRescheduleMs) return false;
        return nodes
          .rivalsOf(node)
          .some(({ latency }) => latency.averageMs !== undefined && own - latency.averageMs >= rescheduleLatencyMs);
      },
    };
  }

  /** The next block that any node has, where all have let go of those before. */
  async #behindGap(next: bigint, signal: AbortSignal): Promise<bigint> {
    const earliest = await this.#nodes.earliest(signal);
    return earliest !== undefined && earliest > next ? earliest : next;
  }

  async #discover(): Promise<void> {
    const found = await this.#options.discover?.();
    if (found !== undefined) this.#nodes.setNodes(found);
  }
}
