import { type BlockNodeAddress, nameOf } from './block-node/block-node-address.ts';
import { type BucketLocation, describeLocation, type FolderLocation } from './source-location.ts';

/** Where block streams come from, as plain data that can be sent between threads. */
export interface BlockStreamLocation {
  /** AUTO: nodes where any is known, else files, and the other kind after repeated faults. */
  readonly sourceType: 'AUTO' | 'BLOCK_NODE' | 'FILE';
  readonly nodes: readonly BlockNodeAddress[];
  /** Whether nodes that the ledger has registered are asked as well. */
  readonly discoversNodes: boolean;
  /** Where block files lie; undefined when that isn't known. */
  readonly files: FolderLocation | BucketLocation | undefined;
  /** First part of paths of block files, and of their folders' names. */
  readonly network: string;
}

/** For people. */
export const describeBlockStream = ({ sourceType, nodes, discoversNodes, files }: BlockStreamLocation): string => {
  const named = nodes.map(nameOf).join(', ');
  const registered = discoversNodes ? 'registered block nodes' : '';
  const asked =
    sourceType === 'FILE' ? '' : [named === '' ? '' : `block nodes ${named}`, registered].filter(Boolean).join(' and ');
  const read = sourceType === 'BLOCK_NODE' || files === undefined ? '' : `blocks in ${describeLocation(files)}`;
  return [asked, read].filter(Boolean).join(', else ');
};
