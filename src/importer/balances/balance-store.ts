/** Where balance files lie, behind one seam; which nodes have a copy or a signature of which. */
import type { EntityId } from '../../ledger/entity-id.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import type { Electorate } from '../../sources/electorate.ts';
import { isSourceFailure } from '../../sources/source-failure.ts';
import type { BalanceFileName, BalanceFormat } from '../../streams/balance-file-name.ts';

/** A node's place, by account or by node id, whichever it tells. */
export interface BalanceNode {
  readonly accountId: EntityId | null;
  readonly nodeId: bigint | null;
  /** Folder, or prefix of keys, with its files. */
  readonly path: string;
}

/** The earliest names of a place after a time; `cutAt` is the time from which on names were left out. */
export interface EarliestNames {
  readonly names: readonly BalanceFileName[];
  readonly cutAt: Nanos | undefined;
}

/** A folder or a bucket with balance files. Nothing is ever written there. */
export interface BalanceStore {
  /** The places of nodes, in order of the nodes. @throws KagamiError of `isSourceFailure` */
  nodes(electorate: Electorate): Promise<readonly BalanceNode[]>;

  /** The earliest names after a time, at most some thousands. @throws KagamiError of `isSourceFailure` */
  list(node: BalanceNode, after: Nanos): Promise<EarliestNames>;

  /** A balance file chunk by chunk. @throws KagamiError of `isSourceFailure`, SOURCE_FILE_MISSING, STREAM_OVERSIZED */
  read(node: BalanceNode, name: string): AsyncIterable<Uint8Array>;

  /** A signature file, which is small. @throws as `read` */
  readSignature(node: BalanceNode, name: string): Promise<Uint8Array>;

  /** Ends whatever is being read. */
  close(): void;
}

export interface BalanceCopy {
  readonly node: BalanceNode;
  /** More than one where a file lies there both plain and compressed. */
  readonly dataNames: readonly string[];
  readonly signatureNames: readonly string[];
}

/** One balance file in one format, as the nodes have it. */
export interface BalanceFileGroup {
  /** Name up to and including `Z`. */
  readonly base: string;
  readonly nanos: Nanos;
  readonly format: BalanceFormat;
  /** By node: account or node id, then path. */
  readonly copies: readonly BalanceCopy[];
}

/**
 * The balance files after a time, earliest first, at most some hundreds; a further call with the last one's time gives
 * the next. For one time the protobuf file comes before the text file.
 */
export const listBalanceFiles = async (
  store: BalanceStore,
  nodes: readonly BalanceNode[],
  after: Nanos,
): Promise<BalanceFileGroup[]> => {
  const groups = new Map<string, BalanceFileGroup & { copies: BalanceCopy[] }>();
  let bound: Nanos | undefined;
  const listings = await Promise.allSettled(nodes.map((node) => store.list(node, after)));
  const failures = listings.filter((listing) => listing.status === 'rejected').map(({ reason }) => reason);
  const serious = failures.find((reason) => !isSourceFailure(reason));
  if (serious !== undefined) throw serious;
  if (failures.length > 0 && failures.length === listings.length) throw failures[0];
  for (const [i, listing] of listings.entries()) {
    // A node whose folder can't be read has no files.
    if (listing.status === 'rejected') continue;
    const { names, cutAt } = listing.value;
    const node = nodes[i] as BalanceNode;
    if (cutAt !== undefined && (bound === undefined || cutAt < bound)) bound = cutAt;
    for (const name of names) addName(groups, node, name);
  }
  return [...groups.values()].filter(({ nanos }) => bound === undefined || nanos < bound).sort(byTime);
};

const byTime = (a: BalanceFileGroup, b: BalanceFileGroup): number => {
  if (a.nanos !== b.nanos) return a.nanos < b.nanos ? -1 : 1;
  return a.format === b.format ? 0 : a.format === 'pb' ? -1 : 1;
};

const addName = (
  groups: Map<string, BalanceFileGroup & { copies: BalanceCopy[] }>,
  node: BalanceNode,
  { base, nanos, format, kind, name }: BalanceFileName,
): void => {
  const key = `${base} ${format}`;
  let group = groups.get(key);
  if (group === undefined) {
    group = { base, nanos, format, copies: [] };
    groups.set(key, group);
  }
  const known = group.copies.at(-1);
  const copy = known?.node === node ? known : { node, dataNames: [], signatureNames: [] };
  const named =
    kind === 'balance'
      ? { ...copy, dataNames: [...copy.dataNames, name] }
      : { ...copy, signatureNames: [...copy.signatureNames, name] };
  if (copy === known) group.copies[group.copies.length - 1] = named;
  else group.copies.push(named);
};
