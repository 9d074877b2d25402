import { compareStreamNames } from '../streams/stream-file-name.ts';
import type { Electorate } from './electorate.ts';
import { isSourceFailure } from './source-failure.ts';
import type { NodeListing, StreamNode, StreamSource } from './stream-source.ts';

/** One node's copies of a record file. */
export interface NodeCopy {
  readonly node: StreamNode;
  readonly recordNames: readonly string[];
  readonly signatureNames: readonly string[];
}

/** What all nodes have of one record file. */
export interface FileGroup {
  readonly base: string;
  readonly nanos: bigint;
  readonly copies: readonly NodeCopy[];
}

interface GroupPage {
  /** In stream order. */
  readonly groups: readonly FileGroup[];
  readonly more: boolean;
  readonly nodes: number;
}

/**
 * The record files named later than `after`, with every node's copies of each. A page ends where the listing of the
 * node with the most files ends, so that no group misses a copy that merely stands on a node's next page.
 */
export const listGroups = async (
  source: StreamSource,
  electorate: Electorate,
  after: bigint,
  limit: number,
): Promise<GroupPage> => {
  const nodes = await source.nodes(electorate);
  const listings = await listAll(source, nodes, after, limit);
  let horizon: bigint | undefined;
  const byBase = new Map<string, { base: string; nanos: bigint; copies: NodeCopy[] }>();
  listings.forEach(({ files, more }, i) => {
    const node = nodes[i] as StreamNode;
    const last = files.at(-1)?.nanos;
    if (more && last !== undefined && (horizon === undefined || last < horizon)) horizon = last;
    for (const { base, nanos, recordNames, signatureNames } of files) {
      const group = byBase.get(base) ?? { base, nanos, copies: [] };
      group.copies.push({ node, recordNames, signatureNames });
      byBase.set(base, group);
    }
  });
  const groups = [...byBase.values()]
    .filter(({ nanos }) => horizon === undefined || nanos <= horizon)
    .sort(compareStreamNames);
  return { groups, more: horizon !== undefined, nodes: nodes.length };
};

/** Every node's listing; a node whose folder can't be read has no files, unless that is so of all. */
const listAll = async (
  source: StreamSource,
  nodes: readonly StreamNode[],
  after: bigint,
  limit: number,
): Promise<NodeListing[]> => {
  const results = await Promise.allSettled(nodes.map((node) => source.list(node, after, limit)));
  const failures = results.filter((result) => result.status === 'rejected');
  const [first] = failures;
  if (first !== undefined && failures.length === results.length) throw first.reason;
  return results.map((result) => {
    if (result.status === 'fulfilled') return result.value;
    if (!isSourceFailure(result.reason)) throw result.reason;
    return { files: [], more: false };
  });
};
