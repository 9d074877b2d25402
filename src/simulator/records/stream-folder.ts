import type { KeyObject } from 'node:crypto';
import { copyFile, link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { nanosToStreamName } from '../../ledger/timestamp.ts';
import { TransactionSidecarRecord } from '../../protobuf/generated/streams/sidecar_file.ts';
import type { HapiVersion } from '../../streams/record-file-content.ts';
import { writeRecordFileV6 } from '../../streams/write/record-file-v6.ts';
import { writeSidecarFile } from '../../streams/write/sidecar-file.ts';
import { writeSignatureFileV6 } from '../../streams/write/signature-file.ts';
import { UNFINISHED_SUFFIX, writeAtomically } from '../state/atomic-file.ts';
import type { ProducedBlock } from './draft.ts';

const compress = promisify(gzip) as (content: Uint8Array, options: { level: number }) => Promise<Buffer>;

const SIDECAR_TYPES: Readonly<Record<string, number>> = { stateChanges: 1, actions: 2, bytecode: 3 };
const RECORD_SUFFIX = '.rcd.gz';
const SIGNATURE_SUFFIX = '.rcd_sig';

/** Content of a block's files, before it is compressed and signed. */
export interface BlockFiles {
  /** Time part of the names: `2026-01-01T00_00_00.000000123Z`. */
  readonly base: string;
  readonly number: bigint;
  readonly count: number;
  /** Uncompressed record file. */
  readonly content: Uint8Array;
  readonly fileHash: Uint8Array;
  readonly metadataHash: Uint8Array;
  readonly endRunningHash: Uint8Array;
  /** Compressed sidecar, if the block has one. */
  readonly sidecar: Uint8Array | undefined;
}

export const recordFileName = (base: string): string => `${base}${RECORD_SUFFIX}`;

/** Serializes a block as record file v6 and sidecar. */
export const serializeBlock = (block: ProducedBlock, hapiVersion: HapiVersion): BlockFiles => {
  const sidecar = block.sidecars.length === 0 ? undefined : writeSidecar(block);
  const written = writeRecordFileV6({
    hapiVersion,
    startRunningHash: block.startHash,
    blockNumber: block.number,
    items: block.items,
    sidecars: sidecar === undefined ? [] : [sidecar.metadata],
    compressionLevel: null,
  });
  return {
    base: nanosToStreamName(block.firstConsensus),
    number: block.number,
    count: block.items.length,
    content: written.bytes,
    fileHash: written.fileHash,
    metadataHash: written.metadataHash,
    endRunningHash: written.endRunningHash,
    sidecar: sidecar?.bytes,
  };
};

const writeSidecar = (block: ProducedBlock) => {
  const types = new Set(block.sidecars.map((record) => SIDECAR_TYPES[record.sidecarRecords?.$case ?? ''] as number));
  return writeSidecarFile({
    id: 1,
    types: [...types].toSorted((a, b) => a - b),
    records: block.sidecars.map((record) => TransactionSidecarRecord.encode(record).finish()),
  });
};

/** A node as the folder knows it. */
export interface FolderNode {
  readonly accountNum: bigint;
  readonly privateKey: KeyObject;
}

export interface StreamFolderOptions {
  readonly directory: string;
  readonly nodes: readonly FolderNode[];
  /** zlib level of record files: 1 is fastest. */
  readonly compressionLevel: number;
}

/**
 * The folder that the simulated nodes upload to: `record0.0.3/<time>.rcd.gz` with `.rcd_sig` beside it and sidecars in
 * `record0.0.3/sidecar/`, for every node. Files appear complete or not at all, sidecars first, signatures last, so that
 * whoever finds signatures finds everything they speak of. All nodes' data files are hard links to one.
 */
export class StreamFolder {
  readonly #options: StreamFolderOptions;

  constructor(options: StreamFolderOptions) {
    this.#options = options;
  }

  /** Makes the node folders and removes what a killed process left unfinished. */
  async prepare(): Promise<void> {
    for (const node of this.#options.nodes) {
      const folder = this.#folderOf(node);
      await mkdir(`${folder}/sidecar`, { recursive: true });
      for (const place of [folder, `${folder}/sidecar`]) {
        for (const name of await readdir(place)) {
          if (name.endsWith(UNFINISHED_SUFFIX)) await rm(`${place}/${name}`, { force: true });
        }
      }
    }
  }

  /** Writes all files of a block; writing one again replaces equal content. Returns the bytes of the data file. */
  async write(files: BlockFiles): Promise<number> {
    const { nodes, compressionLevel } = this.#options;
    const compressed = await compress(files.content, { level: compressionLevel });
    if (files.sidecar !== undefined) await this.#publish(`sidecar/${files.base}_01${RECORD_SUFFIX}`, files.sidecar);
    await this.#publish(`${files.base}${RECORD_SUFFIX}`, compressed);
    for (const node of nodes) {
      const signature = writeSignatureFileV6({ ...files, privateKey: node.privateKey });
      await writeAtomically(`${this.#folderOf(node)}/${files.base}${SIGNATURE_SUFFIX}`, signature);
    }
    return compressed.length;
  }

  /** Names (time parts) of all blocks in the folder, oldest first. */
  async blocks(): Promise<string[]> {
    const [first] = this.#options.nodes;
    if (first === undefined) return [];
    const names = await namesIn(this.#folderOf(first));
    return names
      .filter((name) => name.endsWith(RECORD_SUFFIX))
      .map((name) => name.slice(0, -RECORD_SUFFIX.length))
      .toSorted();
  }

  /** Removes a block's files from every node's folder. */
  async remove(base: string): Promise<void> {
    for (const node of this.#options.nodes) {
      const folder = this.#folderOf(node);
      for (const name of [
        `${base}${SIGNATURE_SUFFIX}`,
        `${base}${RECORD_SUFFIX}`,
        `sidecar/${base}_01${RECORD_SUFFIX}`,
      ]) {
        await rm(`${folder}/${name}`, { force: true });
      }
    }
  }

  async #publish(name: string, content: Uint8Array): Promise<void> {
    const [first, ...others] = this.#options.nodes;
    if (first === undefined) return;
    const original = `${this.#folderOf(first)}/${name}`;
    await writeAtomically(original, content);
    for (const node of others) {
      const copy = `${this.#folderOf(node)}/${name}`;
      const unfinished = `${copy}${UNFINISHED_SUFFIX}`;
      await rm(unfinished, { force: true });
      await link(original, unfinished).catch(() => copyFile(original, unfinished));
      await rename(unfinished, copy);
    }
  }

  #folderOf(node: FolderNode): string {
    return `${this.#options.directory}/record0.0.${node.accountNum}`;
  }
}

/** Names in a folder, none if there is no folder. */
export const namesIn = async (folder: string, recursive = false): Promise<string[]> => {
  try {
    return await readdir(folder, { recursive });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};
