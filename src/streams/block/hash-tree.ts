import { hash } from 'node:crypto';

const HASH_BYTES = 48;
const LEAF = 0x00;
const SINGLE_CHILD = 0x01;
const NODE = 0x02;
const INITIAL_SCRATCH_BYTES = 64 * 1024;
const SHORT_LEAF_BYTES = 1024;

/** Hash of an empty tree or an absent leaf from HAPI 0.72 on: SHA-384 of the leaf prefix alone. */
export const EMPTY_HASH: Uint8Array = hash('sha384', Buffer.of(LEAF), 'buffer');

/**
 * The hashes of block trees (SHA-384): leaves, nodes with one child and nodes with two each have a prefix of their own.
 * Scratch buffers are reused, and within trees digests travel as latin1 text, which costs a quarter of buffers.
 */
export class TreeHasher {
  readonly #node = Buffer.alloc(1 + 2 * HASH_BYTES, NODE);
  readonly #single = Buffer.alloc(1 + HASH_BYTES, SINGLE_CHILD);
  #leaf = Buffer.alloc(INITIAL_SCRATCH_BYTES, LEAF);
  /** The beginnings of the scratch buffer by length, for leaves as short as nearly all are. */
  readonly #shortLeaves: Buffer[] = [];

  leaf(bytes: Uint8Array): Uint8Array {
    return bytesOf(this.leafText(bytes));
  }

  node(left: Uint8Array, right: Uint8Array): Uint8Array {
    this.#node.set(left, 1);
    this.#node.set(right, 1 + HASH_BYTES);
    return hash('sha384', this.#node, 'buffer');
  }

  single(child: Uint8Array): Uint8Array {
    this.#single.set(child, 1);
    return hash('sha384', this.#single, 'buffer');
  }

  /** `leaf` as latin1 text. */
  leafText(bytes: Uint8Array): string {
    if (bytes.length >= this.#leaf.length) {
      this.#leaf = Buffer.alloc(2 * bytes.length + 1, LEAF);
      this.#shortLeaves.length = 0;
    }
    this.#leaf.set(bytes, 1);
    return hash('sha384', this.#leafOf(bytes.length), 'binary');
  }

  #leafOf(length: number): Buffer {
    if (length >= SHORT_LEAF_BYTES) return this.#leaf.subarray(0, 1 + length);
    this.#shortLeaves[length] ??= this.#leaf.subarray(0, 1 + length);
    return this.#shortLeaves[length];
  }

  /** `node` of hashes as latin1 text. */
  nodeText(left: string, right: string): string {
    this.#node.write(left, 1, 'latin1');
    this.#node.write(right, 1 + HASH_BYTES, 'latin1');
    return hash('sha384', this.#node, 'binary');
  }

  /** Root over the given leaf hashes, whose number is a power of two. */
  pairwise(hashes: readonly Uint8Array[]): Uint8Array {
    let level = hashes;
    while (level.length > 1) {
      const above: Uint8Array[] = [];
      for (let i = 0; i < level.length; i += 2) {
        above.push(this.node(level[i] as Uint8Array, level[i + 1] as Uint8Array));
      }
      level = above;
    }
    return level[0] as Uint8Array;
  }
}

/**
 * A tree that grows leaf by leaf: subtrees of equal size are joined at once, what is left is folded from the right. It
 * keeps one hash for each bit of the number of leaves.
 */
export class HashTree {
  readonly #hasher: TreeHasher;
  /** Latin1 text. */
  readonly #pending: string[];
  #count: number;

  constructor(hasher: TreeHasher, state?: { readonly count: bigint; readonly pending: readonly Uint8Array[] }) {
    this.#hasher = hasher;
    this.#count = Number(state?.count ?? 0n);
    this.#pending = (state?.pending ?? []).map(textOf);
  }

  /** Adds the hash of a leaf. */
  add(leafHash: Uint8Array): void {
    this.#add(textOf(leafHash));
  }

  /** Adds a leaf. */
  addLeaf(bytes: Uint8Array): void {
    this.#add(this.#hasher.leafText(bytes));
  }

  /** The root of the leaves so far; `empty` when there are none. */
  root(empty: Uint8Array): Uint8Array {
    const pending = this.#pending;
    let root = pending.at(-1);
    if (root === undefined) return empty;
    for (let i = pending.length - 2; i >= 0; i--) root = this.#hasher.nodeText(pending[i] as string, root);
    return bytesOf(root);
  }

  /** What a tree that goes on from here is made of. */
  state(): { readonly count: bigint; readonly pending: readonly Uint8Array[] } {
    return { count: BigInt(this.#count), pending: this.#pending.map(bytesOf) };
  }

  #add(leafHash: string): void {
    const pending = this.#pending;
    let top = leafHash;
    for (let count = this.#count; count % 2 === 1; count = Math.floor(count / 2)) {
      top = this.#hasher.nodeText(pending.pop() as string, top);
    }
    pending.push(top);
    this.#count++;
  }
}

const textOf = (hash: Uint8Array): string => Buffer.from(hash).toString('latin1');

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));
