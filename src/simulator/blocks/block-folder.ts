import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { constants, gunzip, gzip, zstdCompress, zstdDecompress } from 'node:zlib';
import { parseBlockFileName, splitBlockPath } from '../../streams/block/block-file-name.ts';
import { namesIn } from '../records/stream-folder.ts';
import { UNFINISHED_SUFFIX, writeAtomically } from '../state/atomic-file.ts';

/** `split`: `0000/0000/0000/0000/007.blk.zstd`, as block nodes store. `flat`: `7.blk.gz`. */
export type BlockLayout = 'split' | 'flat';

const FAST_ZSTD_LEVEL = 1;

/** Files of blocks below `<network>/block/` of a folder. Files appear complete or not at all. */
export class BlockFolder {
  /** `<folder>/<network>/block`. */
  readonly path: string;
  readonly #layout: BlockLayout;

  constructor(directory: string, network: string, layout: BlockLayout) {
    this.path = `${directory}/${network}/block`;
    this.#layout = layout;
  }

  /** Makes the folder and removes what a killed process left unfinished. */
  async prepare(): Promise<void> {
    await mkdir(this.path, { recursive: true });
    for (const name of await namesIn(this.path, true)) {
      if (name.endsWith(UNFINISHED_SUFFIX)) await rm(`${this.path}/${name}`, { force: true });
    }
  }

  /** Writes the Block message of a number; writing one again replaces equal content. */
  async write(number: bigint, block: Uint8Array): Promise<void> {
    const path = this.#pathOf(number);
    await mkdir(dirname(path), { recursive: true });
    await writeAtomically(path, await this.#compress(block));
  }

  /** The Block message of a number, undefined when there is none. */
  async read(number: bigint): Promise<Uint8Array | undefined> {
    const content = await readFile(this.#pathOf(number)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (content === undefined) return undefined;
    return this.#layout === 'split' ? promisify(zstdDecompress)(content) : promisify(gunzip)(content);
  }

  /** Numbers of all blocks in the folder, ascending. */
  async numbers(): Promise<bigint[]> {
    const names = await namesIn(this.path, true);
    return names
      .map((name) => parseBlockFileName(name.replaceAll('\\', '/')))
      .filter((number) => number !== undefined)
      .toSorted((a, b) => (a < b ? -1 : 1));
  }

  async has(number: bigint): Promise<boolean> {
    return (await this.read(number)) !== undefined;
  }

  async remove(number: bigint): Promise<void> {
    await rm(this.#pathOf(number), { force: true });
  }

  #pathOf(number: bigint): string {
    return `${this.path}/${this.#layout === 'split' ? splitBlockPath(number) : `${number}.blk.gz`}`;
  }

  #compress(block: Uint8Array): Promise<Uint8Array> {
    if (this.#layout === 'flat') return promisify(gzip)(block);
    return promisify(zstdCompress)(block, { params: { [constants.ZSTD_c_compressionLevel]: FAST_ZSTD_LEVEL } });
  }
}
