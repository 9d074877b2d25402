/**
 * What operators wrote, before it is matched against the declared settings: a tree of texts, each with the place it
 * came from (`application.yml:12`, `environment variable X`, `--set`). Layers are laid over each other here.
 */
import { canonicalName } from './names.ts';

export interface WrittenValue {
  readonly kind: 'value';
  readonly text: string;
  readonly origin: string;
}

export interface WrittenBranch {
  readonly kind: 'branch';
  /** Children by canonical name. */
  readonly children: Map<string, WrittenChild>;
  /** A sequence as a whole replaces what lower layers say; a branch is merged child by child. */
  readonly sequence: boolean;
  readonly origin: string;
}

export interface WrittenChild {
  /** The name as it was written. */
  readonly name: string;
  readonly node: WrittenNode;
}

export type WrittenNode = WrittenValue | WrittenBranch;

export const emptyBranch = (origin = ''): WrittenBranch => ({
  kind: 'branch',
  children: new Map(),
  sequence: false,
  origin,
});

/** Puts a node at a path, creating the branches on the way and merging with what is there. */
export const putAt = (root: WrittenBranch, path: readonly string[], node: WrittenNode): void => {
  const [first, ...rest] = path;
  if (first === undefined) {
    if (node.kind === 'branch') for (const [key, child] of node.children) putChild(root, key, child);
    return;
  }
  const wrapped = rest.reduceRight<WrittenNode>((inner, name) => {
    const branch = emptyBranch(inner.origin);
    branch.children.set(canonicalName(name), { name, node: inner });
    return branch;
  }, node);
  putChild(root, canonicalName(first), { name: first, node: wrapped });
};

/** Lays `over` on `base`: values and sequences replace, branches merge (also onto single items of a sequence). */
export const overlay = (base: WrittenNode, over: WrittenNode): WrittenNode => {
  if (over.kind === 'value' || over.sequence || base.kind === 'value') return over;
  const merged: WrittenBranch = { ...base, children: new Map(base.children) };
  for (const [key, child] of over.children) putChild(merged, key, child);
  return merged;
};

/** The node at a path of written names. */
export const nodeAt = (root: WrittenBranch, path: readonly string[]): WrittenNode | undefined => {
  let node: WrittenNode = root;
  for (const name of path) {
    if (node.kind !== 'branch') return undefined;
    const child: WrittenChild | undefined = node.children.get(canonicalName(name));
    if (!child) return undefined;
    node = child.node;
  }
  return node;
};

/** Every value below a node, with the path as written. */
export function* valuesUnder(
  node: WrittenNode,
  path: readonly string[] = [],
): Generator<{ readonly path: readonly string[]; readonly value: WrittenValue }> {
  if (node.kind === 'value') yield { path, value: node };
  else for (const child of node.children.values()) yield* valuesUnder(child.node, [...path, child.name]);
}

const putChild = (branch: WrittenBranch, key: string, child: WrittenChild): void => {
  const existing = branch.children.get(key);
  branch.children.set(key, existing ? { name: existing.name, node: overlay(existing.node, child.node) } : child);
};
