import { toHex } from '../../ledger/bytes.ts';
import { equalBytes } from '../equal-bytes.ts';
import { streamError } from '../stream-error.ts';
import type { Block } from './block.ts';
import { EMPTY_HASH, HashTree, TreeHasher } from './hash-tree.ts';
import { type BlockRoot, emptyHashOf, type RootForm } from './root-hash.ts';
import type { ChainState } from './verdict.ts';
import type { WrappedRecordFile } from './wrapped-record-file.ts';

/** A block with what links it to its neighbours. */
export interface ChainLink {
  readonly block: Block;
  readonly roots: readonly BlockRoot[];
  readonly wrapped: WrappedRecordFile | null;
}

/** Before the first block, which has to be block 0 or whatever the source begins with. */
export const START_OF_CHAIN: ChainState = { last: null, tree: null };

/** A wrapped record block whose root hash, which its proof does not cover, the next block states otherwise. */
export interface DisputedRoot {
  readonly number: bigint;
  /** What the next block names, lower-case hex. */
  readonly named: string;
}

const isEmptyHash = (hash: Uint8Array): boolean =>
  hash.length === 0 || equalBytes(hash, EMPTY_HASH) || equalBytes(hash, emptyHashOf('zero-hashes'));

/**
 * Checks that a block follows `chain`: its number, the root hash of the block before, the tree of all root hashes, and for
 * wrapped record blocks the record file before. Gives the chain that ends with this block. Where the block before may have
 * more than one root hash, the one that this block names is it.
 * @throws KagamiError STREAM_CHAIN_BROKEN; its detail `disputes` is a `DisputedRoot` where either block may be the altered one.
 */
export const follow = (chain: ChainState, { block, roots, wrapped }: ChainLink): ChainState => {
  const broken = (rule: string, disputes?: DisputedRoot): never => {
    throw streamError('STREAM_CHAIN_BROKEN', {
      file: block.name,
      block: block.number,
      rule: `block ${block.number}: ${rule}`,
      ...(disputes === undefined ? {} : { disputes }),
    });
  };
  const { last } = chain;
  const previous = block.footer.previousRootHash;
  if (last === null) {
    if (block.number === 0n && !isEmptyHash(previous)) broken('names a block before the first');
  } else {
    if (block.number !== last.number + 1n) broken(`follows block ${last.number}`);
    if (last.rootHashes.length > 0 && !last.rootHashes.some((hash) => equalBytes(hash, previous))) {
      const names = last.rootHashes.map(toHex).join(' or ');
      const isWrapped = last.recordHash !== null;
      broken(
        `names ${toHex(previous)} as root hash of the block before, which has ${names}`,
        isWrapped ? { number: last.number, named: toHex(previous) } : undefined,
      );
    }
    if (last.recordHash !== null && wrapped !== null && !equalBytes(last.recordHash, wrapped.recordFile.previousHash)) {
      broken(
        `its record file names ${toHex(wrapped.recordFile.previousHash)} as previous hash, the one before has ${toHex(last.recordHash)}`,
      );
    }
  }
  const form = roots[0]?.form ?? 'sixteen-leaves';
  const tree = treeBefore(chain, block, form);
  if (tree !== null) {
    const stated = block.footer.allPreviousRootsHash;
    const empty = emptyHashOf(form);
    const root = tree.root(empty);
    if (!equalBytes(stated, root) && !(equalBytes(root, empty) && isEmptyHash(stated))) {
      broken(`names ${toHex(stated)} as root of all blocks before it, which have ${toHex(root)}`);
    }
  }
  return {
    last: {
      number: block.number,
      rootHashes: roots.map(({ hash }) => hash),
      recordHash: wrapped?.recordFile.hash ?? null,
    },
    tree: tree === null ? null : tree.state(),
  };
};

/** The tree of the root hashes of all blocks before `block`; null where it isn't known. */
const treeBefore = ({ last, tree }: ChainState, { number, footer }: Block, form: RootForm): HashTree | null => {
  const hasher = new TreeHasher();
  if (number === 0n) return new HashTree(hasher);
  if (tree?.count === number) return new HashTree(hasher, tree);
  const isKnown = number === 1n || (last !== null && last.rootHashes.length > 0 && tree?.count === last.number);
  if (!isKnown) return null;
  const before = new HashTree(hasher, number === 1n ? undefined : (tree ?? undefined));
  // HAPI 0.71 hashed the root hashes as leaves, later versions take them as they are.
  before.add(form === 'zero-hashes' ? hasher.leaf(footer.previousRootHash) : footer.previousRootHash);
  return before;
};
