import { opendir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { streamError } from '../../streams/stream-error.ts';
import { RegularFiles } from '../regular-files.ts';
import {
  BLOCK_FILE_EXTENSIONS,
  type FlatPattern,
  flatName,
  isNestedFolder,
  NESTED_LEVELS,
  nestedParts,
  nestedPath,
  parseFlatName,
  parseNestedName,
} from './block-file-name.ts';
import type { BlockFile, BlockFileStore } from './block-file-store.ts';

export interface BlockFolderOptions {
  /** Name of the network, whose folder may hold the blocks. */
  readonly network: string;
  /** Refuses files above this many bytes. */
  readonly maxFileBytes: number;
}

interface Layout {
  readonly kind: 'nested' | 'flat';
  readonly path: string;
}

const NODE_FOLDER = /^block-?\d+\.\d+\.\d+$/;
/** A folder is not searched again before this many times the duration of the last search. */
const SCAN_PAUSE_FACTOR = 10;

/**
 * Block files in a local folder, in either layout: directly in it, in `block/` or `blockStreams/`, in a node's folder
 * `block-0.0.3` below those, or in `<network>/block/`. Nothing is ever written there.
 */
export class BlockFolder implements BlockFileStore {
  readonly description: string;
  readonly #root: string;
  readonly #options: BlockFolderOptions;
  readonly #files = new RegularFiles();
  #layout: Layout | undefined;
  /** Extensions and patterns of the files here, the one that was found last first. */
  #extensions = BLOCK_FILE_EXTENSIONS;
  #patterns: readonly FlatPattern[] = [];
  #modified = -1;
  #nextScan = 0;

  constructor(root: string, options: BlockFolderOptions) {
    this.description = root;
    this.#root = root;
    this.#options = options;
  }

  async read(number: bigint): Promise<BlockFile | undefined> {
    this.#layout ??= await findLayout(this.#root, this.#options.network);
    const layout = this.#layout;
    if (layout === undefined) return undefined;
    return layout.kind === 'nested' ? this.#readNested(layout.path, number) : this.#readFlat(layout.path, number);
  }

  async firstFrom(from: bigint): Promise<bigint | undefined> {
    this.#layout ??= await findLayout(this.#root, this.#options.network);
    const layout = this.#layout;
    if (layout === undefined) return undefined;
    return layout.kind === 'nested' ? firstNested(layout.path, from) : this.#scan(layout.path, from);
  }

  close(): void {
    this.#files.close();
  }

  async #readNested(base: string, number: bigint): Promise<BlockFile | undefined> {
    for (const extension of this.#extensions) {
      const file = await this.#readFile(base, nestedPath(number) + extension);
      if (file === undefined) continue;
      if (extension !== this.#extensions[0]) this.#extensions = preferred(extension, this.#extensions);
      return file;
    }
    return undefined;
  }

  async #readFlat(base: string, number: bigint): Promise<BlockFile | undefined> {
    const found = await this.#readByPattern(base, number);
    if (found !== undefined || !(await this.#isWorthScan(base))) return found;
    const before = this.#patterns.length;
    await this.#scan(base, number);
    return this.#patterns.length > before ? this.#readByPattern(base, number) : undefined;
  }

  async #readByPattern(base: string, number: bigint): Promise<BlockFile | undefined> {
    for (const pattern of this.#patterns) {
      const file = await this.#readFile(base, flatName(number, pattern));
      if (file === undefined) continue;
      if (pattern !== this.#patterns[0]) this.#patterns = preferred(pattern, this.#patterns);
      return file;
    }
    return undefined;
  }

  async #readFile(base: string, name: string): Promise<BlockFile | undefined> {
    const { maxFileBytes: maxBytes } = this.#options;
    const bytes = await this.#files.read({ place: base, path: join(base, name), name, maxBytes });
    return bytes === undefined ? undefined : { name: name.replaceAll('/', ''), bytes };
  }

  /** Whether files of names that are not known yet may have come. */
  async #isWorthScan(base: string): Promise<boolean> {
    if (performance.now() < this.#nextScan) return false;
    const modified = (await stat(base).catch(() => undefined))?.mtimeMs ?? -1;
    return modified !== this.#modified;
  }

  /** Learns how files are named; gives the least number from `from` on. */
  async #scan(base: string, from: bigint): Promise<bigint | undefined> {
    const began = performance.now();
    this.#modified = (await stat(base).catch(() => undefined))?.mtimeMs ?? -1;
    const patterns = new Map(this.#patterns.map((pattern) => [JSON.stringify(pattern), pattern]));
    let least: bigint | undefined;
    try {
      for await (const entry of await opendir(base, { bufferSize: 4_096 })) {
        const parsed = entry.isDirectory() ? undefined : parseFlatName(entry.name);
        if (parsed === undefined) continue;
        patterns.set(JSON.stringify(parsed.pattern), parsed.pattern);
        if (parsed.number >= from && (least === undefined || parsed.number < least)) least = parsed.number;
      }
    } catch (error) {
      throw unreadable(base, error);
    }
    this.#patterns = [...patterns.values()];
    this.#nextScan = performance.now() + SCAN_PAUSE_FACTOR * (performance.now() - began);
    return least;
  }
}

/** Whether a folder holds blocks in a layout that is known. @throws KagamiError SOURCE_UNREADABLE when it can't be listed */
export const holdsBlocks = async (root: string, network: string): Promise<boolean> =>
  (await findLayout(root, network)) !== undefined;

const findLayout = async (root: string, network: string): Promise<Layout | undefined> => {
  const names = await namesIn(root);
  const networkFolder = greatestOf(network, names);
  const candidates = [
    root,
    join(root, 'block'),
    ...(networkFolder === undefined ? [] : [join(root, networkFolder, 'block')]),
    join(root, 'blockStreams'),
  ];
  for (const path of candidates) {
    const within = path === root ? names : await namesIn(path).catch(() => []);
    const layout = layoutOf(path, within);
    if (layout !== undefined) return layout;
    for (const name of within.filter((entry) => NODE_FOLDER.test(entry)).sort()) {
      const nodeFolder = join(path, name);
      const found = layoutOf(nodeFolder, await namesIn(nodeFolder).catch(() => []));
      if (found !== undefined) return found;
    }
  }
  return undefined;
};

const layoutOf = (path: string, names: readonly string[]): Layout | undefined => {
  if (names.some((name) => parseFlatName(name) !== undefined)) return { kind: 'flat', path };
  return names.some(isNestedFolder) ? { kind: 'nested', path } : undefined;
};

/** Of folders `<network>` and `<network>-<anything>` the greatest, as networks that begin anew name them. */
export const greatestOf = (network: string, names: readonly string[]): string | undefined =>
  names
    .filter((name) => name === network || name.startsWith(`${network}-`))
    .sort()
    .at(-1);

/** Least number from `from` on: in the first folder of each level that holds one. */
const firstNested = async (base: string, from: bigint): Promise<bigint | undefined> => {
  const bounds = nestedParts(from);
  /** @param onBound whether the digits so far are those of `from` */
  const search = async (path: string, level: number, digits: string, onBound: boolean): Promise<bigint | undefined> => {
    const least = onBound ? (bounds[level] as string) : '';
    const names = (await namesIn(path)).sort();
    if (level === NESTED_LEVELS) {
      const [first] = names.flatMap((name) => parseNestedName(name) ?? []).filter((name) => name >= least);
      return first === undefined ? undefined : BigInt(digits + first);
    }
    for (const name of names) {
      if (!isNestedFolder(name) || name < least) continue;
      const found = await search(join(path, name), level + 1, digits + name, onBound && name === least);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(base, 0, '', true);
};

const namesIn = async (path: string): Promise<string[]> => {
  try {
    return await readdir(path);
  } catch (error) {
    throw unreadable(path, error);
  }
};

const unreadable = (path: string, error: unknown): Error =>
  streamError(
    'SOURCE_UNREADABLE',
    { file: path, rule: `it cannot be listed (${(error as NodeJS.ErrnoException).code})` },
    error,
  );

const preferred = <T>(first: T, all: readonly T[]): readonly T[] => [first, ...all.filter((other) => other !== first)];
