import { RankedStores } from '../ranked-stores.ts';
import { BucketClient } from '../s3-client.ts';
import { type BucketLocation, describeLocation } from '../source-location.ts';
import { type FlatPattern, flatName, nestedPath, parseFlatName } from './block-file-name.ts';
import type { BlockFile, BlockFileStore } from './block-file-store.ts';
import { greatestOf } from './block-folder.ts';

/** How the objects of a bucket are named; the prefix ends in `/`, or is empty. */
type Layout =
  | { readonly kind: 'nested'; readonly prefix: string; readonly extension: string }
  | { readonly kind: 'flat'; readonly prefix: string; readonly pattern: FlatPattern };

const NESTED_KEY = /^(\d{4})\/(\d{4})\/(\d{4})\/(\d{4})\/(\d{3})(\.blk(?:\.zstd|\.zst|\.gz)?)$/;
/** Milliseconds before a bucket without blocks is looked at again: each look costs requests. */
const LOOK_PAUSE_MS = 2_000;

/** Block files in a bucket, as `<network>/block/0000/0000/0000/0000/007.blk.zstd` or flat under its prefix. */
export class BlockBucket implements BlockFileStore {
  readonly description: string;
  readonly #location: BucketLocation;
  readonly #clients: readonly BucketClient[];
  readonly #stores: RankedStores<BucketClient>;
  #layout: Layout | undefined;
  #nextLook = 0;

  constructor(location: BucketLocation) {
    this.description = describeLocation(location);
    this.#location = location;
    const ranked = location.stores.map((store) => ({
      store: new BucketClient(location, store),
      backoffMs: store.backoffMs,
    }));
    this.#clients = ranked.map(({ store }) => store);
    this.#stores = new RankedStores(ranked);
  }

  async read(number: bigint): Promise<BlockFile | undefined> {
    const layout = await this.#known();
    if (layout === undefined) return undefined;
    const name = layout.kind === 'nested' ? nestedPath(number) + layout.extension : flatName(number, layout.pattern);
    const bytes = await this.#stores.ask((client) => client.read(layout.prefix + name));
    return bytes === undefined ? undefined : { name: name.replaceAll('/', ''), bytes };
  }

  async firstFrom(from: bigint): Promise<bigint | undefined> {
    const layout = await this.#known();
    if (layout === undefined) return undefined;
    const { prefix } = layout;
    if (layout.kind === 'flat' && layout.pattern.digits === 1) return this.#leastOfAll(prefix, from);
    const name = layout.kind === 'nested' ? nestedPath(from) : flatName(from, { ...layout.pattern, extension: '' });
    const [key] = await this.#keysBehind(prefix, prefix + name);
    return key === undefined ? undefined : numberOf(key.slice(prefix.length));
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }

  /** Names without leading zeros aren't in the order of their numbers. */
  async #leastOfAll(prefix: string, from: bigint): Promise<bigint | undefined> {
    let least: bigint | undefined;
    let next: string | undefined;
    do {
      const page = await this.#stores.ask((client) => client.list({ prefix, startAfter: undefined, from: next }));
      for (const key of page.keys) {
        const number = parseFlatName(key.slice(prefix.length))?.number;
        if (number !== undefined && number >= from && (least === undefined || number < least)) least = number;
      }
      ({ next } = page);
    } while (next !== undefined);
    return least;
  }

  async #known(): Promise<Layout | undefined> {
    if (this.#layout !== undefined) return this.#layout;
    if (performance.now() < this.#nextLook) return undefined;
    this.#layout = await this.#findLayout();
    if (this.#layout === undefined) this.#nextLook = performance.now() + LOOK_PAUSE_MS;
    return this.#layout;
  }

  async #findLayout(): Promise<Layout | undefined> {
    const { prefix, network } = this.#location;
    const root = prefix === '' ? '' : `${prefix}/`;
    const { folders } = await this.#stores.ask((client) =>
      client.list({ prefix: root, startAfter: undefined, from: undefined }),
    );
    const ofNetwork = greatestOf(
      network,
      folders.map((folder) => folder.slice(root.length, -1)),
    );
    // Not every store tells the folders of its root.
    const candidates = [`${root}${ofNetwork ?? network}/block/`, `${root}block/`, root];
    for (const candidate of candidates) {
      const [key = ''] = await this.#keysBehind(candidate, undefined);
      const name = key.slice(candidate.length);
      const nested = NESTED_KEY.exec(name);
      if (nested !== null) return { kind: 'nested', prefix: candidate, extension: nested[6] as string };
      const flat = parseFlatName(name);
      if (flat !== undefined) return { kind: 'flat', prefix: candidate, pattern: flat.pattern };
    }
    return undefined;
  }

  async #keysBehind(prefix: string, startAfter: string | undefined): Promise<readonly string[]> {
    const page = await this.#stores.ask((client) =>
      client.list({ prefix, startAfter, from: undefined, deep: true, limit: 1 }),
    );
    return page.keys;
  }
}

const numberOf = (name: string): bigint | undefined => {
  const nested = NESTED_KEY.exec(name);
  return nested === null ? parseFlatName(name)?.number : BigInt(nested.slice(1, 6).join(''));
};
