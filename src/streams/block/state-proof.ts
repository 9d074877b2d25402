import { equalBytes } from '../equal-bytes.ts';
import type { BlockFooter, MerklePath, MerkleSibling } from './block.ts';
import { TreeHasher } from './hash-tree.ts';
import { invalid } from './tss/field.ts';

const HASH_BYTES = 48;
const AT_ROOT = -1;
const MAX_TIMESTAMP_BYTES = 64;

/** Steps from the hash of the previous block, the leftmost leaf, to the top of a block's tree. */
const STEPS = 4;
/** The same at HAPI 0.73, which leaves the step over the single child out. */
const OLD_STEPS = 3;

/**
 * Follows a state proof from a block to the root hash of the later block that was signed. Each block on the way names the
 * one before as the leftmost leaf of its tree, so every other shape is refused.
 * @throws InvalidProof when the proof doesn't start at this block or has another shape.
 */
export const followStateProof = (
  paths: readonly MerklePath[],
  rootHash: Uint8Array,
  footer: BlockFooter,
  hasher: TreeHasher = new TreeHasher(),
): Uint8Array => {
  const { start, timestamp } = takeApart(paths);
  const top = equalBytes(start.leaf.bytes, rootHash)
    ? climb(start.siblings, rootHash, hasher)
    : climbOld(start, rootHash, footer, hasher);
  return hasher.node(hasher.leaf(timestamp), top);
};

/** The path from the block and the signed block's timestamp, which join in the third path. */
const takeApart = (paths: readonly MerklePath[]): { readonly start: MerklePath; readonly timestamp: Uint8Array } => {
  const start = paths.find(({ leaf }) => leaf.kind === 'hash');
  const timestamp = paths.find(({ leaf }) => leaf.kind === 'timestamp');
  const join = paths.findIndex(({ leaf }) => leaf.kind === 'none');
  if (paths.length !== 3 || start === undefined || timestamp === undefined || join < 0) {
    return invalid('a state proof has three paths: from a timestamp, from a hash, and where they join');
  }
  const joined = paths[join] as MerklePath;
  const meet = start.nextPathIndex === join && timestamp.nextPathIndex === join && joined.nextPathIndex === AT_ROOT;
  if (!meet || timestamp.siblings.length > 0 || joined.siblings.length > 0) {
    invalid('the paths of the state proof do not join below the root');
  }
  if (timestamp.leaf.bytes.length > MAX_TIMESTAMP_BYTES) invalid('the timestamp of the state proof is none');
  return { start, timestamp: timestamp.leaf.bytes };
};

/** From root hash to root hash: four steps up, of which the last may be over a single child, then the timestamp's leaf. */
const climb = (siblings: readonly MerkleSibling[], rootHash: Uint8Array, hasher: TreeHasher): Uint8Array => {
  if (siblings.length % (STEPS + 1) !== STEPS) invalid(`a path of ${siblings.length} siblings`);
  let hash = rootHash;
  siblings.forEach((sibling, index) => {
    const step = index % (STEPS + 1);
    if (step === STEPS) hash = hasher.node(leftOf(sibling), hash);
    else if (step === STEPS - 1 && isSingle(sibling)) hash = hasher.single(hash);
    else hash = hasher.node(hash, rightOf(sibling));
  });
  return hash;
};

/** The form of HAPI 0.73 starts one block earlier, at the hash that this block's footer names. */
const climbOld = (
  start: MerklePath,
  rootHash: Uint8Array,
  { previousRootHash }: BlockFooter,
  hasher: TreeHasher,
): Uint8Array => {
  const { leaf, siblings } = start;
  if (!equalBytes(leaf.bytes, previousRootHash)) invalid('the state proof does not start at this block');
  if (siblings.length % (OLD_STEPS + 1) !== OLD_STEPS || siblings.length <= OLD_STEPS) {
    invalid(`a path of ${siblings.length} siblings`);
  }
  let hash = leaf.bytes;
  siblings.forEach((sibling, index) => {
    if (index % (OLD_STEPS + 1) !== OLD_STEPS) {
      hash = hasher.node(hash, rightOf(sibling));
      return;
    }
    hash = hasher.node(leftOf(sibling), hasher.single(hash));
    if (index === OLD_STEPS && !equalBytes(hash, rootHash)) invalid('the state proof leads past this block');
  });
  return hasher.single(hash);
};

const isSingle = ({ isLeft, hash }: MerkleSibling): boolean => !isLeft && hash.length === 0;

const rightOf = ({ isLeft, hash }: MerkleSibling): Uint8Array =>
  isLeft || hash.length !== HASH_BYTES ? invalid('a sibling of the state proof must be a hash on the right') : hash;

const leftOf = ({ isLeft, hash }: MerkleSibling): Uint8Array =>
  !isLeft || hash.length !== HASH_BYTES ? invalid('a sibling of the state proof must be a hash on the left') : hash;
