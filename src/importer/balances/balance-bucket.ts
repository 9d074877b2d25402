/**
 * Balance files in a bucket, next to the record streams, by account or by node id
 * ([HIP-679](https://hips.hedera.com/hip/hip-679)).
 */
import { formatEntityId } from '../../ledger/entity-id.ts';
import { NANOS_PER_SECOND, type Nanos, nanosToStreamName } from '../../ledger/timestamp.ts';
import type { Electorate } from '../../sources/electorate.ts';
import { maxBytesOf } from '../../sources/file-bounds.ts';
import { RankedStores } from '../../sources/ranked-stores.ts';
import { BucketClient } from '../../sources/s3-client.ts';
import type { BucketLocation } from '../../sources/source-location.ts';
import type { AddressBookEntry } from '../../streams/address-book.ts';
import { type BalanceFileName, parseBalanceFileName } from '../../streams/balance-file-name.ts';
import { streamError } from '../../streams/stream-error.ts';
import type { BalanceNode, BalanceStore, EarliestNames } from './balance-store.ts';

/** Pages read for one listing, against a node that fills a second with names. */
const MAX_PAGES = 20;
/** Length of `2022-07-13T08_46_11`, by which names sort as text; fractions vary in length and don't. */
const SECOND_CHARS = 19;
/** Bytes handed on at a time, so that the accounts of a large file never are in memory together. */
const CHUNK_BYTES = 262_144;
/** Least milliseconds for a request: balance files are many times as large as record files, for which the setting is. */
const LEAST_TIMEOUT_MS = 60_000;

/** Reads a bucket with the same stores, credentials and limits as record files. */
export class BalanceBucket implements BalanceStore {
  readonly #location: BucketLocation;
  readonly #clients: readonly BucketClient[];
  readonly #ranked: RankedStores<BucketClient>;

  constructor(location: BucketLocation) {
    this.#location = location;
    const patient = { ...location, timeoutMs: Math.max(location.timeoutMs, LEAST_TIMEOUT_MS) };
    const stores = location.stores.map((store) => ({
      store: new BucketClient(patient, store),
      backoffMs: store.backoffMs,
    }));
    this.#clients = stores.map(({ store }) => store);
    this.#ranked = new RankedStores(stores);
  }

  async nodes({ book }: Electorate): Promise<readonly BalanceNode[]> {
    return book.entries.flatMap((entry) => this.#placesOf(entry));
  }

  async list({ path }: BalanceNode, after: Nanos): Promise<EarliestNames> {
    // Within a second the order of names as text isn't that of their times, so that listing begins with its first name.
    const startAfter = after < 0n ? undefined : path + nanosToStreamName(after).slice(0, SECOND_CHARS);
    return this.#ranked.ask(async (client) => {
      const names: BalanceFileName[] = [];
      let from: string | undefined;
      for (let page = 0; page < MAX_PAGES; page++) {
        const { keys, next } = await client.list({ prefix: path, startAfter, from });
        for (const key of keys) {
          const name = parseBalanceFileName(key);
          if (name !== undefined && name.nanos > after) names.push(name);
        }
        if (next === undefined) return { names, cutAt: undefined };
        const last = secondOf(names.at(-1));
        if (last !== secondOf(names[0])) return { names: names.filter((name) => secondOf(name) < last), cutAt: last };
        from = next;
      }
      return { names, cutAt: undefined };
    });
  }

  async *read(node: BalanceNode, name: string): AsyncGenerator<Uint8Array> {
    const bytes = await this.#readObject(node, name);
    for (let start = 0; start < bytes.length; start += CHUNK_BYTES) yield bytes.subarray(start, start + CHUNK_BYTES);
  }

  readSignature(node: BalanceNode, name: string): Promise<Uint8Array> {
    return this.#readObject(node, name);
  }

  async #readObject({ path }: BalanceNode, name: string): Promise<Uint8Array> {
    const maxBytes = maxBytesOf(name, this.#location.maxFileBytes);
    const bytes = await this.#ranked.ask((client) => client.read(path + name, maxBytes));
    if (bytes === undefined) throw streamError('SOURCE_FILE_MISSING', { file: name, rule: 'gone since it was listed' });
    return bytes;
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }

  /** Both places where nodes may have moved from one to the other. */
  #placesOf({ accountId, nodeId }: AddressBookEntry): BalanceNode[] {
    const { prefix, network, shard, pathType } = this.#location;
    const root = prefix === '' ? '' : `${prefix}/`;
    const byAccount = { accountId, nodeId: null, path: `${root}accountBalances/balance${formatEntityId(accountId)}/` };
    const byNodeId = { accountId: null, nodeId, path: `${root}${network}/${shard}/${nodeId}/balance/` };
    if (pathType === 'AUTO') return [byAccount, byNodeId];
    return pathType === 'ACCOUNT_ID' ? [byAccount] : [byNodeId];
  }
}

/** Start of the second that a name states; -1 without a name. */
const secondOf = (name: BalanceFileName | undefined): Nanos =>
  name === undefined ? -1n : name.nanos - (name.nanos % NANOS_PER_SECOND);
