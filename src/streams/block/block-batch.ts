/**
 * Blocks of a batch as bytes and plain data, so that a thread can take them apart and prove them: `proveBatch` runs in the
 * thread, `unpackBlock` where its answer arrives.
 */
import type { Transferable } from 'node:worker_threads';
import { isKagamiError } from '../../errors/kagami-error.ts';
import { type Block, type BlockItem, BlockItemField, type BlockProof } from './block.ts';
import { type ReadBlockOptions, readBlock } from './read-block.ts';
import type { BlockTrust, LedgerTrust } from './trust.ts';
import type { BlockVerdict, ChainState } from './verdict.ts';
import type { BlockVerifier } from './verify-blocks.ts';

/** What the thread is asked: to prove consecutive blocks. */
export interface BatchOrder {
  readonly files: readonly {
    /** Path of the file, or `blockName` of a block from a block node. */
    readonly name: string;
    readonly bytes: Uint8Array;
  }[];
  readonly trust: BlockTrust;
  readonly chain: ChainState;
  readonly options?: ReadBlockOptions;
}

/** What the thread answers. */
export interface BatchAnswer {
  /** One for each file; null from the first on that couldn't be read. */
  readonly blocks: readonly (PackedBlock | null)[];
  /** One for each file. */
  readonly verdicts: readonly BlockVerdict[];
  /** Chain and ledger after the last block before which all are proven. */
  readonly chain: ChainState;
  readonly ledger: LedgerTrust | null;
}

/** A block whose items are bounds in its content. */
export interface PackedBlock {
  /** The block without its items. */
  readonly block: Omit<Block, 'items' | 'header'>;
  readonly content: ArrayBuffer;
  /** Start of each item, start of its payload and end of both, in `content`: three numbers an item. */
  readonly bounds: Uint32Array;
  readonly fields: Uint8Array;
}

/** Reads and proves the blocks of a batch. One that can't be read ends what can be proven. */
export const proveBatch = (order: BatchOrder, verifier: BlockVerifier): BatchAnswer => {
  const blocks: Block[] = [];
  let unread: BlockVerdict | undefined;
  for (const { name, bytes } of order.files) {
    try {
      blocks.push(readBlock(name, bytes, order.options));
    } catch (error) {
      if (!isKagamiError(error)) throw error;
      const { code, message, details } = error;
      unread = { proven: false, fault: { code, message, details } };
      break;
    }
  }
  const { verdicts, chain, ledger } = verifier.verifyBlocks(blocks, order.trust, order.chain);
  const missing = order.files.slice(blocks.length).map(({ name }, i) => (i === 0 && unread) || notRead(name));
  return {
    blocks: [...blocks.map(packBlock), ...missing.map(() => null)],
    verdicts: [...verdicts, ...missing],
    chain,
    ledger,
  };
};

const notRead = (file: string): BlockVerdict => {
  const rule = 'a block before it could not be read';
  return {
    proven: false,
    fault: { code: 'STREAM_CHAIN_BROKEN', message: `${file}: ${rule}`, details: { file, rule } },
  };
};

/** What an answer can hand over instead of copying it. */
export const transferablesOf = ({ blocks }: BatchAnswer): Transferable[] =>
  blocks.flatMap((packed) =>
    packed === null ? [] : [packed.content, packed.bounds.buffer as ArrayBuffer, packed.fields.buffer as ArrayBuffer],
  );

/** Everything of a block in one buffer of its own, apart from what it was read from. */
const packBlock = (block: Block): PackedBlock => {
  const { items, header: _, ...rest } = block;
  let size = 0;
  for (const { bytes } of items) size += bytes.length;
  const content = new Uint8Array(size);
  const bounds = new Uint32Array(3 * items.length);
  const fields = new Uint8Array(items.length);
  let position = 0;
  items.forEach(({ field, bytes, payload }, i) => {
    content.set(bytes, position);
    fields[i] = field;
    bounds[3 * i] = position;
    bounds[3 * i + 1] = position + bytes.length - payload.length;
    position += bytes.length;
    bounds[3 * i + 2] = position;
  });
  return { block: detached(rest), content: content.buffer, bounds, fields };
};

const copyOf = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

/** Copies of the few hashes and signatures: a view would take its whole buffer along. */
const detached = (rest: Omit<Block, 'items' | 'header'>): Omit<Block, 'items' | 'header'> => {
  const { footer } = rest;
  return {
    ...rest,
    timestampBytes: copyOf(rest.timestampBytes),
    footer: {
      previousRootHash: copyOf(footer.previousRootHash),
      allPreviousRootsHash: copyOf(footer.allPreviousRootsHash),
      startStateRootHash: copyOf(footer.startStateRootHash),
    },
    recordFile: rest.recordFile === null ? null : new Uint8Array(0),
    proofs: rest.proofs.map(detachedProof),
  };
};

const detachedProof = (proof: BlockProof): BlockProof => {
  switch (proof.kind) {
    case 'signed':
      return { ...proof, signature: copyOf(proof.signature) };
    case 'state':
      return {
        ...proof,
        signature: copyOf(proof.signature),
        paths: proof.paths.map(({ leaf, siblings, nextPathIndex }) => ({
          leaf: { ...leaf, bytes: copyOf(leaf.bytes) },
          siblings: siblings.map(({ isLeft, hash }) => ({ isLeft, hash: copyOf(hash) })),
          nextPathIndex,
        })),
      };
    case 'record-file':
      return {
        ...proof,
        signatures: proof.signatures.map(({ nodeId, signature }) => ({ nodeId, signature: copyOf(signature) })),
      };
    case 'unknown':
      return proof;
  }
};

/** The block again; its items make their views when they are asked for them. */
export const unpackBlock = ({ block, content, bounds, fields }: PackedBlock): Block => {
  const items = Array.from(fields, (field, i) => new PackedItem(content, bounds, 3 * i, field));
  const header = items[0] as BlockItem;
  const wrapped =
    block.recordFile === null ? undefined : items.find(({ field }) => field === BlockItemField.recordFile);
  return { ...block, items, header, recordFile: wrapped?.payload ?? null };
};

class PackedItem implements BlockItem {
  readonly field: number;
  readonly #content: ArrayBuffer;
  readonly #bounds: Uint32Array;
  readonly #at: number;

  constructor(content: ArrayBuffer, bounds: Uint32Array, at: number, field: number) {
    this.#content = content;
    this.#bounds = bounds;
    this.#at = at;
    this.field = field;
  }

  get bytes(): Uint8Array {
    return this.#part(this.#at);
  }

  get payload(): Uint8Array {
    return this.#part(this.#at + 1);
  }

  #part(at: number): Uint8Array {
    const start = this.#bounds[at] as number;
    return new Uint8Array(this.#content, start, (this.#bounds[this.#at + 2] as number) - start);
  }
}
