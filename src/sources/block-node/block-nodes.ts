/**
 * Chooses among block nodes: by priority, by latency, or both, leaving alone for a while those that failed again and again
 * or lied. It owns who is asked; what blocks are worth is for whoever proves them.
 */
import { isKagamiError, type KagamiError } from '../../errors/kagami-error.ts';
import { streamError } from '../../streams/stream-error.ts';
import type { AvailableBlocks } from '../block-source.ts';
import { type BlockNodeAddress, nameOf } from './block-node-address.ts';
import { BlockNodeClient, type BlockNodeLimits } from './block-node-client.ts';
import { NodeLatency } from './node-latency.ts';

export type SchedulerType = 'PRIORITY' | 'PRIORITY_THEN_LATENCY' | 'LATENCY';

export interface BlockNodesOptions {
  readonly nodes: readonly BlockNodeAddress[];
  readonly limits: BlockNodeLimits;
  readonly scheduler: SchedulerType;
  /** Faults after which a node is left alone, and the milliseconds for which it is. */
  readonly maxSubscribeAttempts: number;
  readonly readmitDelayMs: number;
  /** A node that has been good for at least so many milliseconds is forgiven what it did before. */
  readonly forgiveAfterMs?: number;
  /** Milliseconds since any moment. */
  readonly clock?: () => number;
  /** For tests: see `BlockNodeClient`. */
  readonly rootCertificates?: Buffer;
}

export interface BlockNodeState {
  readonly client: BlockNodeClient;
  readonly latency: NodeLatency;
  faults: number;
  /** The block that it last failed to give, and how often it did so. */
  failedAt: { readonly block: bigint; readonly faults: number } | undefined;
  /** On the clock; left alone until then. */
  inactiveUntil: number;
  /** On the clock; undefined while no subscription of it has brought a block. */
  goodSince: number | undefined;
}

/** Blocks ahead of its newest one that a node accepts a subscription for, and then waits (`maximumFutureRequest`). */
const MAX_FUTURE_BLOCKS = 4_000n;
/** Nodes whose newest blocks differ by less are taken to be equally far. */
const BEHIND_BLOCKS = 5n;

interface Answer {
  readonly node: BlockNodeState;
  readonly blocks: AvailableBlocks | undefined;
  readonly fault?: KagamiError;
}

export class BlockNodes {
  readonly #options: BlockNodesOptions;
  readonly #clock: () => number;
  #nodes: readonly BlockNodeState[] = [];

  constructor(options: BlockNodesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
    this.setNodes(options.nodes);
  }

  get size(): number {
    return this.#nodes.length;
  }

  get nodes(): readonly BlockNodeState[] {
    return this.#nodes;
  }

  /** Replaces the nodes; those that stay keep what is known of them. */
  setNodes(addresses: readonly BlockNodeAddress[]): void {
    const before = new Map(this.#nodes.map((node) => [keyOf(node.client.address), node]));
    const { limits, rootCertificates } = this.#options;
    this.#nodes = addresses.map((address) => {
      const known = before.get(keyOf(address));
      before.delete(keyOf(address));
      return (
        known ?? {
          client: new BlockNodeClient({ address, limits, ...(rootCertificates ? { rootCertificates } : {}) }),
          latency: new NodeLatency(),
          faults: 0,
          failedAt: undefined,
          inactiveUntil: Number.NEGATIVE_INFINITY,
          goodSince: undefined,
        }
      );
    });
    for (const { client } of before.values()) client.close();
  }

  /**
   * The node to subscribe to for the blocks from `next` on. Nodes that are left alone are asked when no other has the block,
   * and one that did not give it as often as it is asked at a stretch only after those that have been asked less.
   * @param wait whether a block that does not exist yet will do: nodes take a subscription for it and wait
   * @throws KagamiError SOURCE_BLOCK_MISSING when no node has it; SOURCE_NODE_UNREACHABLE when none answers
   */
  async choose(next: bigint, wait: boolean, signal?: AbortSignal): Promise<BlockNodeState> {
    const now = this.#clock();
    const order = this.#inOrder().sort((a, b) => this.#turnsAt(a, next) - this.#turnsAt(b, next));
    const active = order.filter(({ inactiveUntil }) => inactiveUntil <= now);
    const resting = order.filter(({ inactiveUntil }) => inactiveUntil > now);
    const answers: Answer[] = [];
    for (const group of [active, resting]) {
      const asked = await Promise.all(group.map((node) => this.#ask(node, signal)));
      signal?.throwIfAborted();
      answers.push(...asked);
      const chosen = pick(asked, next, wait);
      if (chosen !== undefined) return chosen;
    }
    throw nobodyHas(next, answers);
  }

  /** Number of the earliest block that any node has, of those that are left alone if no other has one; else undefined. */
  async earliest(signal?: AbortSignal): Promise<bigint | undefined> {
    const now = this.#clock();
    const answers = await Promise.all(this.#nodes.map((node) => this.#ask(node, signal)));
    const active = answers.filter(({ node, blocks }) => node.inactiveUntil <= now && blocks !== undefined);
    const firsts = (active.length > 0 ? active : answers).flatMap(({ blocks }) => blocks?.first ?? []);
    if (firsts.length === 0 && answers.every(({ fault }) => fault !== undefined)) throw nobodyHas(0n, answers);
    return firsts.reduce<bigint | undefined>(
      (least, first) => (least === undefined || first < least ? first : least),
      undefined,
    );
  }

  /** Number of the newest block that any node has. */
  async newest(signal?: AbortSignal): Promise<bigint | undefined> {
    const answers = await Promise.all(this.#nodes.map((node) => this.#ask(node, signal)));
    return answers.reduce<bigint | undefined>((most, { blocks }) => {
      if (blocks === undefined) return most;
      return most === undefined || blocks.last > most ? blocks.last : most;
    }, undefined);
  }

  /** Whether an active node other than this one has a block. */
  async othersHave(node: BlockNodeState, next: bigint, signal?: AbortSignal): Promise<boolean> {
    const now = this.#clock();
    const others = this.#nodes.filter((other) => other !== node && other.inactiveUntil <= now);
    const answers = await Promise.all(others.map((other) => this.#ask(other, signal)));
    return answers.some(({ blocks }) => blocks !== undefined && blocks.first <= next && next <= blocks.last);
  }

  /**
   * A subscription has ended with a fault.
   * @param block that was to come
   * @param lied it sent one that is not the ledger's: it gets no second chance
   */
  failed(node: BlockNodeState, block: bigint, lied = false): void {
    const { maxSubscribeAttempts, readmitDelayMs } = this.#options;
    const before = node.failedAt?.block === block ? node.failedAt.faults : 0;
    node.failedAt = { block, faults: before + (lied ? maxSubscribeAttempts : 1) };
    node.goodSince = undefined;
    node.faults++;
    if (!lied && node.faults < maxSubscribeAttempts) return;
    node.inactiveUntil = this.#clock() + readmitDelayMs;
    node.faults = 0;
  }

  /** A block of the node has been proven. */
  proved(node: BlockNodeState): void {
    const now = this.#clock();
    node.goodSince ??= now;
    if (now - node.goodSince >= (this.#options.forgiveAfterMs ?? this.#options.readmitDelayMs)) node.faults = 0;
    node.inactiveUntil = Number.NEGATIVE_INFINITY;
  }

  /** A subscription has ended in good order, with blocks. */
  completed(node: BlockNodeState): void {
    node.faults = 0;
  }

  /** Active nodes that may be measured against this one: of the same priority, unless latency alone decides. */
  rivalsOf(node: BlockNodeState): readonly BlockNodeState[] {
    const { scheduler } = this.#options;
    if (scheduler === 'PRIORITY') return [];
    const now = this.#clock();
    const { priority } = node.client.address;
    return this.#nodes.filter(
      (other) =>
        other !== node &&
        other.inactiveUntil <= now &&
        (scheduler === 'LATENCY' || other.client.address.priority === priority),
    );
  }

  close(): void {
    for (const { client } of this.#nodes) client.close();
  }

  /** How often a node has failed to give a block until it was left alone. */
  #turnsAt({ failedAt }: BlockNodeState, block: bigint): number {
    return failedAt?.block === block ? Math.floor(failedAt.faults / this.#options.maxSubscribeAttempts) : 0;
  }

  #inOrder(): BlockNodeState[] {
    const { scheduler } = this.#options;
    const byPriority = (a: BlockNodeState, b: BlockNodeState): number =>
      scheduler === 'LATENCY' ? 0 : a.client.address.priority - b.client.address.priority;
    const byLatency = (a: BlockNodeState, b: BlockNodeState): number => {
      if (scheduler === 'PRIORITY') return 0;
      const [left, right] = [a.latency.rankMs, b.latency.rankMs];
      return left === right ? 0 : left - right;
    };
    return [...this.#nodes].sort((a, b) => byPriority(a, b) || byLatency(a, b));
  }

  async #ask(node: BlockNodeState, signal: AbortSignal | undefined): Promise<Answer> {
    try {
      return { node, blocks: await node.client.available(signal) };
    } catch (fault) {
      if (!isKagamiError(fault)) throw fault;
      return { node, blocks: undefined, fault };
    }
  }
}

/** In order: one that has the block; if it may be waited for, one that is about to have it, unless others are far ahead. */
const pick = (answers: readonly Answer[], next: bigint, wait: boolean): BlockNodeState | undefined => {
  const stocked = answers.flatMap(({ node, blocks }) => (blocks === undefined ? [] : [{ node, blocks }]));
  const having = stocked.find(({ blocks }) => blocks.first <= next && next <= blocks.last);
  if (having !== undefined || !wait) return having?.node;
  let newest = -1n;
  for (const { blocks } of stocked) if (blocks.last > newest) newest = blocks.last;
  return stocked.find(
    ({ blocks }) =>
      blocks.first <= next && next <= blocks.last + MAX_FUTURE_BLOCKS && blocks.last >= newest - BEHIND_BLOCKS,
  )?.node;
};

const nobodyHas = (next: bigint, answers: readonly Answer[]): KagamiError => {
  const faults = answers.flatMap(({ fault }) => fault ?? []);
  const [first] = faults;
  if (first !== undefined && faults.length === answers.length) {
    return streamError(
      'SOURCE_NODE_UNREACHABLE',
      { file: first.message, rule: 'no block node answers', faults: faults.map(({ message }) => message) },
      first,
    );
  }
  const ranges = answers.map(({ node, blocks }) => `${node.client.name} ${rangeText(blocks)}`).join(', ');
  const file = answers.length === 0 ? 'block nodes' : ranges;
  const rule = answers.length === 0 ? 'none is known' : `no block node can provide block ${next}`;
  return streamError('SOURCE_BLOCK_MISSING', { file, rule, block: next });
};

const rangeText = (blocks: AvailableBlocks | undefined): string =>
  blocks === undefined ? 'has none' : `has ${blocks.first} to ${blocks.last}`;

const keyOf = (address: BlockNodeAddress): string =>
  JSON.stringify([nameOf(address), address.status, address.subscribe, address.priority]);
