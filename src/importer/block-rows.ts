/** The row of a block and those of its sidecar files. */

import type { GenesisState } from '../blocks/genesis-state.ts';
import type { RowOf } from '../database/table.ts';
import { BLOOM_LENGTH, uniteBloom } from '../ledger/bloom.ts';
import { toHex } from '../ledger/bytes.ts';
import type { HapiVersion, RecordFile } from '../streams/record-file-content.ts';
import { contractResultOf, isTopLevel, type RecordItem } from './record-item.ts';

/** A proven record file, and what its reader knows of it besides. */
export interface BlockSource {
  readonly file: RecordFile;
  /** Block number: that of the file for v6, else one more than the block before. */
  readonly index: bigint;
  /** When the file was first seen and when its transactions were transformed; milliseconds since 1970. */
  readonly loadStart: bigint;
  readonly loadEnd: bigint;
  /** Raw bytes of the file, if they are to be kept. */
  readonly bytes?: Uint8Array | null;
  /** Sidecar files that were read, by id. */
  readonly sidecars?: ReadonlyMap<number, ReadSidecar>;
  /** What block 0 says of the state before its transactions. */
  readonly genesis?: GenesisState | undefined;
}

/** What is only known of a sidecar file that was read. */
export interface ReadSidecar {
  /** How many sidecar records it holds. */
  readonly count: number;
  /** Bytes of the file as it was read. */
  readonly size: number;
  readonly bytes?: Uint8Array | null;
}

/** SHA-384 is the only digest that record files know. */
const SHA_384 = 0;

const NO_BLOOM = new Uint8Array(0);

/** Sums up the gas used by a block's top-level contract transactions and the union of their log blooms. */
export class BlockGas {
  #gasUsed = 0n;
  #logsBloom: Uint8Array = NO_BLOOM;

  add(item: RecordItem): void {
    const result = contractResultOf(item);
    if (result === undefined || !isTopLevel(item)) return;
    this.#gasUsed += BigInt.asIntN(64, result.gasUsed);
    this.addBloom(result.bloom);
  }

  /** Adds the bloom of a contract transaction whose gas does not count by itself, or is counted already. */
  addBloom(bloom: Uint8Array): void {
    if (this.#logsBloom.length === 0) this.#logsBloom = new Uint8Array(BLOOM_LENGTH);
    uniteBloom(this.#logsBloom, bloom);
  }

  get gasUsed(): bigint {
    return this.#gasUsed;
  }

  /** Empty without contract transactions. */
  get logsBloom(): Uint8Array {
    return this.#logsBloom;
  }
}

/** Record files, wrapped or not, state the version of HAPI only, which stands for both. */
const softwareVersionOf = ({ hapiVersion, ofBlock }: RecordFile): HapiVersion | null =>
  ofBlock?.softwareVersion ?? hapiVersion;

/** `count` is the number of transactions that were stored or, filtered out, could have been. */
export const blockRow = (block: BlockSource, gas: BlockGas, count: number): RowOf<'record_file'> => {
  const { file } = block;
  const hapi = file.hapiVersion;
  const software = softwareVersionOf(file);
  return {
    name: file.name,
    load_start: block.loadStart,
    load_end: block.loadEnd,
    hash: toHex(file.hash),
    prev_hash: toHex(file.previousHash),
    consensus_start: file.consensusStart,
    consensus_end: file.consensusEnd,
    count: BigInt(count),
    digest_algorithm: SHA_384,
    hapi_version_major: hapi?.major ?? null,
    hapi_version_minor: hapi?.minor ?? null,
    hapi_version_patch: hapi?.patch ?? null,
    version: file.version,
    file_hash: toHex(file.fileHash),
    bytes: block.bytes ?? null,
    index: block.index,
    gas_used: gas.gasUsed,
    logs_bloom: gas.logsBloom,
    size: file.size,
    sidecar_count: file.sidecars.length,
    software_version_major: software?.major ?? null,
    software_version_minor: software?.minor ?? null,
    software_version_patch: software?.patch ?? null,
    round_start: file.ofBlock?.roundStart ?? null,
    round_end: file.ofBlock?.roundEnd ?? null,
    previous_wrapped_record_block_hash: file.ofBlock?.previousWrappedRecordBlockHash ?? null,
    wrapped_record_block_hash: file.ofBlock?.wrappedRecordBlockHash ?? null,
    receipts_root: null,
  };
};

/** `2022-07-13T08_46_11.304284003Z.rcd.gz` -> `2022-07-13T08_46_11.304284003Z_01.rcd.gz`. */
const sidecarName = (recordFile: string, id: number): string => {
  const extension = recordFile.indexOf('.rcd');
  const stem = extension < 0 ? recordFile : recordFile.slice(0, extension);
  return `${stem}_${id.toString().padStart(2, '0')}${extension < 0 ? '' : recordFile.slice(extension)}`;
};

/** One row for each sidecar file that the record file names, read or not. */
export const sidecarRows = (block: BlockSource): RowOf<'sidecar_file'>[] =>
  block.file.sidecars.map(({ id, hash, types }) => {
    const sidecar = block.sidecars?.get(id);
    return {
      bytes: sidecar?.bytes ?? null,
      count: sidecar?.count ?? null,
      consensus_end: block.file.consensusEnd,
      hash_algorithm: SHA_384,
      hash,
      id,
      name: sidecarName(block.file.name, id),
      size: sidecar?.size ?? null,
      types,
    };
  });
