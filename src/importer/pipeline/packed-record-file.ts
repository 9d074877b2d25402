/**
 * A record file that was made of a block, on its way between threads: the bytes of its items change hands with their
 * buffers, and where each item lies is one array of numbers. Tens of thousands of small objects would take longer to send
 * than to make.
 */
import { isMarkedAsUntransferable, type Transferable } from 'node:worker_threads';
import type { BlockFacts, RecordFile, RecordFileItem } from '../../streams/record-file-content.ts';
import type { SidecarFile } from '../../streams/sidecar-file.ts';

export interface PackedRecordFile {
  /** Without its items. */
  readonly file: RecordFile;
  readonly buffers: readonly ArrayBuffer[];
  /** Six numbers an item: buffer, start and end of its transaction, and of its record. */
  readonly bounds: Uint32Array;
  /** One for each item of a block; none for those of a wrapped record file. */
  readonly multipliers: BigUint64Array;
  /** Facts of items that tell more than a multiplier, by index. */
  readonly facts: readonly (readonly [number, BlockFacts])[];
  readonly sidecars: readonly SidecarFile[];
}

const NUMBERS_PER_ITEM = 6;

export const packRecordFile = (recordFile: RecordFile, sidecars: readonly SidecarFile[]): PackedRecordFile => {
  const { items, ...file } = recordFile;
  const places = new Map<ArrayBufferLike, number>();
  const buffers: ArrayBuffer[] = [];
  const placeOf = (bytes: Uint8Array): number => {
    const known = places.get(bytes.buffer);
    if (known !== undefined) return known;
    places.set(bytes.buffer, buffers.length);
    return buffers.push(bytes.buffer as ArrayBuffer) - 1;
  };
  const bounds = new Uint32Array(items.length * NUMBERS_PER_ITEM);
  const ofBlocks = items[0]?.ofBlock !== undefined;
  const multipliers = new BigUint64Array(ofBlocks ? items.length : 0);
  const facts: [number, BlockFacts][] = [];
  for (let i = 0, at = 0; i < items.length; i++) {
    const { transaction, record, ofBlock } = items[i] as RecordFileItem;
    for (const bytes of [transaction, record]) {
      bounds[at++] = placeOf(bytes);
      bounds[at++] = bytes.byteOffset;
      bounds[at++] = bytes.byteOffset + bytes.length;
    }
    if (ofBlock === undefined) continue;
    multipliers[i] = ofBlock.congestionPricingMultiplier;
    if (ofBlock.unknown.length > 0 || ofBlock.ethereumNonce !== undefined) facts.push([i, ofBlock]);
  }
  return { file: detached({ ...file, items: [] }), buffers, bounds, multipliers, facts, sidecars };
};

const copyOf = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);
const copyIfAny = (bytes: Uint8Array | null): Uint8Array | null => bytes && copyOf(bytes);

/** With copies of the few hashes: a view would take the whole block along. */
const detached = (file: RecordFile): RecordFile => ({
  ...file,
  fileHash: copyOf(file.fileHash),
  metadataHash: copyIfAny(file.metadataHash),
  hash: copyOf(file.hash),
  previousHash: copyOf(file.previousHash),
  sidecars: file.sidecars.map((sidecar) => ({ ...sidecar, hash: copyOf(sidecar.hash) })),
  ...(file.ofBlock === undefined
    ? {}
    : {
        ofBlock: {
          ...file.ofBlock,
          wrappedRecordBlockHash: copyIfAny(file.ofBlock.wrappedRecordBlockHash),
          previousWrappedRecordBlockHash: copyIfAny(file.ofBlock.previousWrappedRecordBlockHash),
        },
      }),
});

/**
 * The buffers that go over to the other thread whole. Those that sidecars are parts of, and Node's own for small arrays, are
 * copied.
 */
export const transferablesOf = ({ buffers, bounds, multipliers, sidecars }: PackedRecordFile): Transferable[] => {
  const kept = new Set<ArrayBufferLike>(
    sidecars.flatMap(({ bytes, records }) => [bytes.buffer, ...records.map((record) => record.bytes.buffer)]),
  );
  return [
    ...buffers.filter((buffer) => !kept.has(buffer) && !isMarkedAsUntransferable(buffer)),
    bounds.buffer as ArrayBuffer,
    multipliers.buffer as ArrayBuffer,
  ];
};

export const unpackRecordFile = (
  packed: PackedRecordFile,
): { readonly recordFile: RecordFile; readonly sidecars: readonly SidecarFile[] } => {
  const facts = new Map(packed.facts);
  const items: RecordFileItem[] = new Array(packed.bounds.length / NUMBERS_PER_ITEM);
  const Item = packed.multipliers.length === 0 ? PackedItem : PackedBlockItem;
  for (let i = 0; i < items.length; i++) items[i] = new Item(packed, i, facts);
  return { recordFile: { ...packed.file, items }, sidecars: packed.sidecars };
};

const NOTHING_UNKNOWN: BlockFacts['unknown'] = [];

/** Makes its views when they are asked for: those of blocks read ahead would be most of what the collector carries. */
class PackedItem implements RecordFileItem {
  protected readonly packed: PackedRecordFile;
  protected readonly index: number;
  protected readonly facts: ReadonlyMap<number, BlockFacts>;

  constructor(packed: PackedRecordFile, index: number, facts: ReadonlyMap<number, BlockFacts>) {
    this.packed = packed;
    this.index = index;
    this.facts = facts;
  }

  get transaction(): Uint8Array {
    return this.#part(0);
  }

  get record(): Uint8Array {
    return this.#part(NUMBERS_PER_ITEM / 2);
  }

  #part(part: number): Uint8Array {
    const { buffers, bounds } = this.packed;
    const at = this.index * NUMBERS_PER_ITEM + part;
    const start = bounds[at + 1] as number;
    return new Uint8Array(buffers[bounds[at] as number] as ArrayBuffer, start, (bounds[at + 2] as number) - start);
  }
}

/** An item of a block; those of record files have no facts beside them. */
class PackedBlockItem extends PackedItem {
  get ofBlock(): BlockFacts {
    return (
      this.facts.get(this.index) ?? {
        congestionPricingMultiplier: this.packed.multipliers[this.index] ?? 0n,
        unknown: NOTHING_UNKNOWN,
      }
    );
  }
}
