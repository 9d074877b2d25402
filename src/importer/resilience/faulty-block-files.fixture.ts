/** A folder or bucket that fills with block files as a plan says: late, damaged and repaired, forged, refused. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from '../../simulator/random.ts';
import type { Harm as S3Harm, S3Proxy } from '../../sources/testing/s3-proxy.fixture.ts';
import { type S3TestServer, testLocation, testStore } from '../../sources/testing/s3-server.fixture.ts';
import type { BlockFaultPlan, PlacePlan, Refusal } from './block-fault-plan.fixture.ts';
import { blockFileBytes, blockFilePath } from './block-ledger.fixture.ts';
import { damaged } from './faulty-copies.fixture.ts';
import { type ForgeryMaterial, forgedBlockOf } from './forged-blocks.fixture.ts';
import type { BlockPlaces } from './importer-process.fixture.ts';

/** Milliseconds that a request to the bucket may take. */
const REQUEST_MS = 1_000;
export const BUCKET = 'blocks';
export const NETWORK = 'other';

export interface TestBucket {
  readonly server: S3TestServer;
  readonly proxy: S3Proxy;
}

const harms: Readonly<Record<Refusal, S3Harm>> = {
  hang: 'hang',
  reset: 'reset',
  truncate: 'truncate',
  busy: { status: 503, code: 'SlowDown' },
  broken: { status: 500, code: 'InternalError' },
  forbidden: { status: 403, code: 'AccessDenied' },
};

export class FaultyBlockFiles {
  readonly #plan: BlockFaultPlan;
  readonly #material: ForgeryMaterial;
  readonly #random: Random;
  readonly #folder: string;
  readonly #bucket: TestBucket | undefined;
  /** Of the bucket, until they are over. */
  readonly #refused = new Map<string, S3Harm>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #uploads: Promise<void>[] = [];

  /** @param bucket undefined: a folder */
  constructor(
    plan: BlockFaultPlan,
    material: ForgeryMaterial,
    random: Random,
    folder: string,
    bucket: TestBucket | undefined,
  ) {
    this.#plan = plan;
    this.#material = material;
    this.#random = random;
    this.#folder = folder;
    this.#bucket = bucket;
    if (bucket === undefined) mkdirSync(join(folder, NETWORK, 'block'), { recursive: true });
    else bucket.proxy.harm = ({ path }) => this.#refused.get(path.slice(`/${BUCKET}/`.length));
  }

  get location(): NonNullable<BlockPlaces['files']> {
    if (this.#bucket === undefined) return { kind: 'folder', path: this.#folder };
    const { shard: _, ...location } = testLocation([testStore(this.#bucket.proxy.endpoint, { backoffMs: 200 })], {
      bucket: BUCKET,
      prefix: this.#prefix,
      network: NETWORK,
      timeoutMs: REQUEST_MS,
      maxFileBytes: 10_000_000,
    });
    return location;
  }

  /** A block has come, in whatever state. */
  arrive(number: number, place: PlacePlan): void {
    const { extension } = this.#plan;
    const name = blockFilePath(BigInt(number), this.#plan);
    const bytes = blockFileBytes(this.#material.blocks[number] as Uint8Array, extension);
    const { forgery, damage, refusal, healedAfter } = place;
    const heal = (): void => this.#later(healedAfter, () => this.#put(name, bytes));
    if (refusal !== undefined) {
      const key = this.#keyOf(name);
      this.#refused.set(key, harms[refusal]);
      this.#later(healedAfter, () => this.#refused.delete(key));
      this.#put(name, bytes);
    } else if (damage === 'folder in its place') {
      mkdirSync(this.#pathOf(name), { recursive: true });
      heal();
    } else if (damage !== undefined) {
      this.#putInPlace(name, damaged(bytes, damage));
      heal();
    } else if (forgery !== undefined) {
      this.#put(name, blockFileBytes(forgedBlockOf(forgery, number, this.#material, this.#random), extension));
      heal();
    } else this.#put(name, bytes);
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    if (this.#bucket !== undefined) this.#bucket.proxy.harm = () => undefined;
    await Promise.allSettled(this.#uploads);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #prefix(): string {
    return `seed-${this.#plan.seed}`;
  }

  #keyOf(name: string): string {
    return `${this.#prefix}/${NETWORK}/block/${name}`;
  }

  #pathOf(name: string): string {
    return join(this.#folder, NETWORK, 'block', name);
  }

  #put(name: string, bytes: Uint8Array): void {
    if (this.#bucket !== undefined) {
      this.#upload(name, bytes);
      return;
    }
    const path = this.#pathOf(name);
    const unfinished = join(this.#folder, `.${name.replaceAll('/', '_')}.new`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(unfinished, bytes);
    rmSync(path, { recursive: true, force: true });
    renameSync(unfinished, path);
  }

  /** As a copy that is under way looks. */
  #putInPlace(name: string, bytes: Uint8Array): void {
    if (this.#bucket !== undefined) {
      this.#upload(name, bytes);
      return;
    }
    const path = this.#pathOf(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }

  /** One after the other, so that what comes last is what stays. */
  #upload(name: string, bytes: Uint8Array): void {
    const before = this.#uploads.at(-1) ?? Promise.resolve();
    const upload = before.then(() => this.#bucket?.server.put([{ key: this.#keyOf(name), bytes }], BUCKET));
    upload.catch(() => undefined);
    this.#uploads.push(upload);
  }

  #later(ms: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (this.#bucket !== undefined || existsSync(this.#folder)) action();
    }, ms);
    this.#timers.add(timer);
  }
}
