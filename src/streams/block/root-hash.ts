import type { HapiVersion } from '../record-file-content.ts';
import type { Block, BlockFooter, BlockItem } from './block.ts';
import { BlockItemField } from './block.ts';
import { EMPTY_HASH, HashTree, TreeHasher } from './hash-tree.ts';

/**
 * How the parts of a block are joined to its root hash.
 * `sixteen-leaves`: HAPI 0.78 and later, eight of the leaves still empty. `eight-leaves`: 0.72 to 0.77, the tree being the
 * single child of a node. `zero-hashes`: 0.71, as eight leaves, but the hash of what is empty is 48 zero bytes.
 */
export type RootForm = 'sixteen-leaves' | 'eight-leaves' | 'zero-hashes';

const ZERO_HASH: Uint8Array = new Uint8Array(48);

/** The hash that stands for an empty tree or an absent hash. */
export const emptyHashOf = (form: RootForm): Uint8Array => (form === 'zero-hashes' ? ZERO_HASH : EMPTY_HASH);

/**
 * The forms that a block of this HAPI version may have, likely ones first. The version of a wrapped record block is the
 * one of its record file and says little about who wrapped it.
 */
export const rootFormsOf = ({ major, minor }: HapiVersion, wrapsRecordFile: boolean): readonly RootForm[] => {
  const isOld = major === 0 && minor < 78;
  if (wrapsRecordFile) {
    return isOld && minor >= 72 ? ['eight-leaves', 'sixteen-leaves'] : ['sixteen-leaves', 'eight-leaves'];
  }
  if (major === 0 && minor <= 71) return ['zero-hashes', 'eight-leaves', 'sixteen-leaves'];
  return isOld ? ['eight-leaves', 'sixteen-leaves'] : ['sixteen-leaves', 'eight-leaves'];
};

/** The five trees over a block's items, in the order of their leaves in the block's tree. */
const TREE_OF_FIELD: Readonly<Record<number, number>> = {
  [BlockItemField.eventHeader]: 0,
  [BlockItemField.roundHeader]: 0,
  [BlockItemField.signedTransaction]: 1,
  [BlockItemField.blockHeader]: 2,
  [BlockItemField.transactionResult]: 2,
  [BlockItemField.transactionOutput]: 2,
  [BlockItemField.recordFile]: 2,
  [BlockItemField.stateChanges]: 3,
  [BlockItemField.traceData]: 4,
};
const TREES = 5;
const ABSENT_LEAVES = 8;

/** What the root hash of a block is made of, whatever its form. */
export interface HashedParts {
  readonly timestampBytes: Uint8Array;
  readonly footer: BlockFooter;
  readonly trees: readonly HashTree[];
}

/** Hashes the items of a block into its five trees; footer and proofs aren't in any. */
export const hashItems = (items: Iterable<BlockItem>, hasher: TreeHasher = new TreeHasher()): HashTree[] => {
  const trees = Array.from({ length: TREES }, () => new HashTree(hasher));
  for (const { field, bytes } of items) {
    const tree = TREE_OF_FIELD[field];
    if (tree !== undefined) trees[tree]?.addLeaf(bytes);
  }
  return trees;
};

/** The root hash of a block in one form, 48 bytes. */
export const rootHashOf = (parts: HashedParts, form: RootForm, hasher: TreeHasher = new TreeHasher()): Uint8Array => {
  const empty = emptyHashOf(form);
  const orEmpty = (hash: Uint8Array): Uint8Array => (hash.length === 0 ? empty : hash);
  const { footer } = parts;
  const leaves = [
    orEmpty(footer.previousRootHash),
    orEmpty(footer.allPreviousRootsHash),
    orEmpty(footer.startStateRootHash),
    ...parts.trees.map((tree) => tree.root(empty)),
  ];
  const content =
    form === 'sixteen-leaves'
      ? hasher.pairwise([...leaves, ...Array.from({ length: ABSENT_LEAVES }, () => empty)])
      : hasher.single(hasher.pairwise(leaves));
  return hasher.node(hasher.leaf(parts.timestampBytes), content);
};

export interface BlockRoot {
  readonly form: RootForm;
  readonly hash: Uint8Array;
}

/** The root hashes that a block may have, one for each form, likely ones first. */
export const blockRoots = (block: Block): BlockRoot[] => {
  const hasher = new TreeHasher();
  const { timestampBytes, footer } = block;
  const parts = { timestampBytes, footer, trees: hashItems(block.items, hasher) };
  return rootFormsOf(block.hapiVersion, block.recordFile !== null).map((form) => ({
    form,
    hash: rootHashOf(parts, form, hasher),
  }));
};
