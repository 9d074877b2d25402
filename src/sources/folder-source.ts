import { join } from 'node:path';
import { MAX_CONTENT_BYTES } from '../streams/compression.ts';
import { maxBytesOf } from './file-bounds.ts';
import { FolderIndex } from './folder-index.ts';
import { findNodeFolders, type NodeFolder } from './folder-layout.ts';
import { RegularFiles } from './regular-files.ts';
import type { NodeListing, StreamNode, StreamSource } from './stream-source.ts';

export interface FolderSourceOptions {
  /** Watches the folders, for following a stream that is being written. */
  readonly watch?: boolean;
  /** Refuses files above this many bytes, 256 MiB by default. */
  readonly maxFileBytes?: number;
  /** Milliseconds that reading a file may take. */
  readonly timeoutMs?: number;
}

/**
 * Record streams in a local folder, in any layout of `findNodeFolders`; sidecars lie in `sidecar/` below a node's
 * folder. Nothing is ever written there.
 */
export class FolderSource implements StreamSource {
  readonly description: string;
  readonly #root: string;
  readonly #watch: boolean;
  readonly #maxFileBytes: number;
  readonly #indexes = new Map<string, FolderIndex>();
  readonly #files: RegularFiles;
  #folders = new Map<string, NodeFolder>();
  #changed = false;
  readonly #waiting = new Set<() => void>();

  constructor(root: string, options: FolderSourceOptions = {}) {
    this.description = root;
    this.#root = root;
    this.#watch = options.watch ?? false;
    this.#maxFileBytes = options.maxFileBytes ?? MAX_CONTENT_BYTES;
    this.#files = new RegularFiles(options);
  }

  async nodes(): Promise<readonly StreamNode[]> {
    const folders = await findNodeFolders(this.#root);
    this.#folders = new Map(folders.map((folder) => [folder.place, folder]));
    for (const [place, index] of this.#indexes) {
      if (this.#folders.has(place)) continue;
      index.close();
      this.#indexes.delete(place);
    }
    return folders;
  }

  list(node: StreamNode, after: bigint, limit: number): Promise<NodeListing> {
    return this.#indexOf(node).list(after, limit);
  }

  async read(node: StreamNode, name: string): Promise<Uint8Array | undefined> {
    const bytes = await this.#readFile(node, name);
    if (bytes === undefined) this.#indexOf(node).forget(name);
    return bytes;
  }

  readSidecar(node: StreamNode, name: string): Promise<Uint8Array | undefined> {
    return this.#readFile(node, join('sidecar', name));
  }

  waitForChange(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (this.#changed || signal?.aborted) {
      this.#changed = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        signal?.removeEventListener('abort', done);
        this.#changed = false;
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.#waiting.add(done);
      signal?.addEventListener('abort', done);
    });
  }

  close(): void {
    this.#files.close();
    for (const index of this.#indexes.values()) index.close();
    this.#indexes.clear();
    for (const done of [...this.#waiting]) done();
  }

  #pathOf(node: StreamNode): string {
    return this.#folders.get(node.place)?.path ?? node.place;
  }

  #indexOf(node: StreamNode): FolderIndex {
    let index = this.#indexes.get(node.place);
    if (index === undefined) {
      index = new FolderIndex(this.#pathOf(node), this.#watch, () => this.#notify());
      this.#indexes.set(node.place, index);
    }
    return index;
  }

  #notify(): void {
    this.#changed = true;
    for (const done of [...this.#waiting]) done();
  }

  #readFile(node: StreamNode, name: string): Promise<Uint8Array | undefined> {
    const path = join(this.#pathOf(node), name);
    return this.#files.read({ place: node.place, path, name, maxBytes: maxBytesOf(name, this.#maxFileBytes) });
  }
}
