/**
 * Transactions that ran together: what a user or a schedule set off, with everything that the network did for it (children,
 * inner transactions of a batch). They share state changes, and values that blocks state only as of the end are walked
 * back through them, so that they are looked at from the last to the first.
 */
import { WireReader } from '../streams/wire.ts';
import type { BlockTransaction } from './block-transactions.ts';
import type { CreatedKind } from './state-index.ts';

/** What the transactions of one execution that were looked at already, all later ones, leave for the ones before. */
export class Execution {
  /** Total supply of tokens before the transactions that were looked at. */
  readonly supplies = new Map<bigint, bigint>();
  /** Amounts of pending airdrops before them; null for one that was none then. */
  readonly airdrops = new Map<string, bigint | null>();
  /** Topics whose state belongs to a later message. */
  readonly toldTopics = new Set<bigint>();
  /** What the slots of contracts and hooks held when a later transaction read them first. */
  readonly slotReads = new Map<string, Uint8Array>();
  readonly #given: Record<CreatedKind, Set<bigint>> = {
    file: new Set(),
    node: new Set(),
    registeredNode: new Set(),
    token: new Set(),
    topic: new Set(),
  };

  /** The greatest of the `numbers` that no later transaction created; new entities have greater numbers than others. */
  takeGreatest(kind: CreatedKind, numbers: Iterable<bigint>): bigint | undefined {
    const given = this.#given[kind];
    let greatest: bigint | undefined;
    for (const number of numbers) {
      if (!given.has(number) && (greatest === undefined || number > greatest)) greatest = number;
    }
    if (greatest !== undefined) given.add(greatest);
    return greatest;
  }
}

/** Where a transaction stands among those that ran with it; positions in the list of the block's transactions. */
export interface Relations {
  readonly parent: number | undefined;
  /** The one that set all of them off: itself, if nothing set it off. */
  readonly root: number;
}

/** @throws KagamiError STREAM_MALFORMED, STREAM_TRUNCATED */
export const relationsOf = (transactions: readonly BlockTransaction[]): Relations[] => {
  const positions = new Map(transactions.map(({ result }, position) => [result.consensusTimestamp, position]));
  const parents = transactions.map(({ result }, position) => {
    const parent = result.parentTimestamp === undefined ? undefined : positions.get(result.parentTimestamp);
    return parent === position ? undefined : parent;
  });
  const setOffBy = transactions.map((_, position) => parents[position] ?? laterMain(transactions, position));
  return transactions.map((_, position) => {
    const root = rootOf(position, setOffBy);
    return root === undefined ? { parent: undefined, root: position } : { parent: parents[position], root };
  });
};

/** More than the network lets transactions set each other off. */
const MAX_DEPTH = 64;

/** Undefined when they set each other off in a circle. */
const rootOf = (position: number, setOffBy: readonly (number | undefined)[]): number | undefined => {
  let root = position;
  for (let step = 0; step < MAX_DEPTH; step++) {
    const next = setOffBy[root];
    if (next === undefined) return root;
    root = next;
  }
  return undefined;
};

/** Children that run before what set them off name no parent; they have the id of a transaction close behind. */
const laterMain = (transactions: readonly BlockTransaction[], position: number): number | undefined => {
  const child = transactions[position];
  if (child === undefined || child.transaction.nonce === 0) return undefined;
  const id = idWithoutNonce(child);
  if (id === undefined) return undefined;
  for (let next = position + 1; next < transactions.length; next++) {
    const candidate = transactions[next] as BlockTransaction;
    if (idWithoutNonce(candidate) !== id) return undefined;
    if (candidate.transaction.nonce === 0) return next;
  }
  return undefined;
};

const ID_NONCE = 4;

const idWithoutNonce = ({ transaction: { id }, place }: BlockTransaction): string | undefined => {
  if (id === undefined) return undefined;
  const parts: string[] = [];
  const fields = new WireReader(id, place);
  while (fields.next()) {
    if (fields.field !== ID_NONCE) parts.push(Buffer.from(id.subarray(fields.tagStart, fields.end)).toString('hex'));
  }
  return parts.sort().join(' ');
};
