import { setTimeout as delay } from 'node:timers/promises';
import { formatEntityId } from '../ledger/entity-id.ts';
import { nanosToStreamName } from '../ledger/timestamp.ts';
import { streamError } from '../streams/stream-error.ts';
import { compareStreamNames, parseStreamFileName, type StreamFileName } from '../streams/stream-file-name.ts';
import type { Electorate } from './electorate.ts';
import { maxBytesOf } from './file-bounds.ts';
import { chooseNodes } from './node-choice.ts';
import { pageOfNames } from './node-page.ts';
import { RestingNodes } from './resting-nodes.ts';
import type { BucketClient } from './s3-client.ts';
import { isSourceFailure } from './source-failure.ts';
import { type BucketLocation, describeLocation } from './source-location.ts';
import type { NodeListing, StreamNode, StreamSource } from './stream-source.ts';

/** Pages read for one listing, against a node that fills a second with names. */
const MAX_PAGES = 20;
/** Length of `2022-07-13T08_46_11`, by which names sort as text; fractions vary in length and don't. */
const SECOND_CHARS = 19;
/** Latest time whose name has a year of four digits. */
const LAST_NAMED_NANOS = 253_402_300_799_000_000_000n;

export interface S3SourceOptions {
  /** Asks a random choice of nodes (`downloadRatio`) at each look, as following allows; else all. */
  readonly chooses?: boolean;
  /** Milliseconds since any moment. */
  readonly clock?: () => number;
  /** Numbers in [0, 1). */
  readonly random?: () => number;
}

/** What is known of a node's path while the setting is AUTO. */
interface PathState {
  moved: boolean;
  nextLook: number;
}

type Layout = 'account' | 'nodeId';

/**
 * Record streams in a bucket, by account or by node id ([HIP-679](https://hips.hedera.com/hip/hip-679)). Who has files
 * there follows from the electorate. A node that can't be read is left alone for a while; that costs its time-out once.
 */
export class S3Source implements StreamSource {
  readonly description: string;
  readonly #location: BucketLocation;
  readonly #client: BucketClient;
  readonly #chooses: boolean;
  readonly #clock: () => number;
  readonly #random: () => number;
  readonly #resting: RestingNodes;
  readonly #paths = new Map<string, PathState>();

  constructor(location: BucketLocation, client: BucketClient, options: S3SourceOptions = {}) {
    this.description = describeLocation(location);
    this.#location = location;
    this.#client = client;
    this.#chooses = options.chooses ?? false;
    this.#clock = options.clock ?? (() => performance.now());
    this.#random = options.random ?? Math.random;
    this.#resting = new RestingNodes(location.timeoutMs, this.#clock);
  }

  async nodes(electorate: Electorate): Promise<readonly StreamNode[]> {
    const { entries } = electorate.book;
    this.#resting.setNodes(entries.map(placeOf));
    const ratio = this.#chooses ? this.#location.downloadRatio : '1';
    return chooseNodes(electorate, ratio, this.#random).map((entry) => ({
      accountId: entry.accountId,
      nodeId: entry.nodeId,
      place: placeOf(entry),
    }));
  }

  list(node: StreamNode, after: bigint, limit: number): Promise<NodeListing> {
    return this.#ask(node, () => this.#listNode(node, after, limit));
  }

  read(node: StreamNode, name: string): Promise<Uint8Array | undefined> {
    return this.#ask(node, () => this.#readAt(node, name));
  }

  readSidecar(node: StreamNode, name: string): Promise<Uint8Array | undefined> {
    return this.read(node, `sidecar/${name}`);
  }

  async waitForChange(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    await delay(timeoutMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  }

  close(): void {
    this.#client.close();
  }

  async #ask<T>(node: StreamNode, action: () => Promise<T>): Promise<T> {
    if (this.#resting.rests(node.place)) {
      throw streamError('SOURCE_UNREADABLE', { file: node.place, rule: 'left alone after a failure', resting: true });
    }
    try {
      const result = await action();
      this.#resting.succeeded(node.place);
      return result;
    } catch (error) {
      if (isSourceFailure(error)) this.#resting.failed(node.place);
      throw error;
    }
  }

  async #listNode(node: StreamNode, after: bigint, limit: number): Promise<NodeListing> {
    const layout = this.#layoutOf(node);
    const listing = await this.#listPrefix(this.#prefix(node, layout), after, limit);
    const state = this.#paths.get(node.place);
    if (state === undefined || state.moved || listing.files.length > 0 || this.#clock() < state.nextLook) {
      return listing;
    }
    state.nextLook = this.#clock() + this.#location.pathRefreshMs;
    const byNodeId = await this.#listPrefix(this.#prefix(node, 'nodeId'), after, limit);
    state.moved = byNodeId.files.length > 0;
    return byNodeId;
  }

  async #readAt(node: StreamNode, name: string): Promise<Uint8Array | undefined> {
    const layout = this.#layoutOf(node);
    const maxBytes = maxBytesOf(name, this.#location.maxFileBytes);
    const bytes = await this.#client.read(this.#prefix(node, layout) + name, maxBytes);
    if (bytes !== undefined || this.#location.pathType !== 'AUTO') return bytes;
    // Its name may have been listed before the node moved.
    return layout === 'nodeId' ? this.#client.read(this.#prefix(node, 'account') + name, maxBytes) : undefined;
  }

  #layoutOf(node: StreamNode): Layout {
    const { pathType } = this.#location;
    if (pathType !== 'AUTO') return pathType === 'NODE_ID' ? 'nodeId' : 'account';
    let state = this.#paths.get(node.place);
    if (state === undefined) {
      state = { moved: false, nextLook: this.#clock() };
      this.#paths.set(node.place, state);
    }
    return state.moved ? 'nodeId' : 'account';
  }

  #prefix({ accountId, nodeId }: StreamNode, layout: Layout): string {
    const { prefix, network, shard } = this.#location;
    const path =
      layout === 'nodeId'
        ? `${network}/${shard}/${nodeId}/record/`
        : `recordstreams/record${formatEntityId(accountId ?? 0n)}/`;
    return prefix === '' ? path : `${prefix}/${path}`;
  }

  async #listPrefix(prefix: string, after: bigint, limit: number): Promise<NodeListing> {
    const second = secondOf(after);
    const names: StreamFileName[] = [];
    let next: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      // Within a second the order of names as text isn't that of their times, so that listing begins with its first name.
      const startAfter = second === '' ? undefined : prefix + second;
      const { keys, next: following } = await this.#client.list({ prefix, startAfter, from: next });
      for (const key of keys) {
        const parsed = parseStreamFileName(key);
        if (parsed !== undefined && parsed.kind !== 'sidecar' && parsed.nanos > after) names.push(parsed);
      }
      next = following;
      // Two names make one record file with its signature.
      if (next === undefined || wholeSeconds(names).length >= 2 * limit) break;
    }
    const whole = next === undefined ? names : wholeSeconds(names);
    return pageOfNames((whole.length > 0 ? whole : names).sort(compareStreamNames), limit, next !== undefined);
  }
}

const placeOf = ({ nodeId, accountId }: { readonly nodeId: bigint; readonly accountId: bigint }): string =>
  `node ${nodeId} (${formatEntityId(accountId)})`;

/** Names without those of the last second, which further ones may follow on the next page. */
const wholeSeconds = (names: readonly StreamFileName[]): StreamFileName[] => {
  const last = names.at(-1)?.name.slice(0, SECOND_CHARS);
  let end = names.length;
  while (end > 0 && names[end - 1]?.name.slice(0, SECOND_CHARS) === last) end--;
  return names.slice(0, end);
};

const secondOf = (nanos: bigint): string => {
  if (nanos < 0n) return '';
  return nanosToStreamName(nanos > LAST_NAMED_NANOS ? LAST_NAMED_NANOS : nanos).slice(0, SECOND_CHARS);
};
