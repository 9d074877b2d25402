import { KagamiError } from '../errors/kagami-error.ts';
import { toHex } from '../ledger/bytes.ts';
import type { AddressBook } from './address-book.ts';

/** A part of the total weight, exact. */
export interface Ratio {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export const ONE_THIRD: Ratio = { numerator: 1n, denominator: 3n };

const DECIMAL = /^(\d+)(?:\.(\d+))?(?:e-(\d{1,2}))?$/;
const FRACTION = /^(\d+)\/(\d+)$/;

/**
 * Reads `1/3`, `0.5` or a number between 0 and 1.
 * @throws KagamiError CONFIG_INVALID for anything else.
 */
export const parseRatio = (value: string | number): Ratio => {
  const text = String(value).trim();
  const ratio = parseFraction(text) ?? parseDecimal(text);
  if (ratio === undefined || ratio.denominator === 0n || ratio.numerator > ratio.denominator) {
    throw new KagamiError('CONFIG_INVALID', `Not a ratio between 0 and 1: ${text}`, { details: { value } });
  }
  return ratio;
};

const parseFraction = (text: string): Ratio | undefined => {
  const match = FRACTION.exec(text);
  return match === null ? undefined : { numerator: BigInt(match[1] ?? ''), denominator: BigInt(match[2] ?? '') };
};

const parseDecimal = (text: string): Ratio | undefined => {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, whole = '0', fraction = '', exponent = '0'] = match;
  return { numerator: BigInt(whole + fraction), denominator: 10n ** BigInt(fraction.length + Number(exponent)) };
};

/**
 * STAKE_IN_ADDRESS_BOOK counts only the stake of nodes in the address book, STAKE that of every staked node towards the
 * total, EQUAL one vote for each node of the book.
 */
export type ConsensusMode = 'STAKE_IN_ADDRESS_BOOK' | 'STAKE' | 'EQUAL';

export interface NodeWeights {
  readonly total: bigint;
  /** Weight by node id; nodes that aren't listed weigh nothing. Tinybars of stake, or votes. */
  readonly byNode: ReadonlyMap<bigint, bigint>;
}

/** Weighs the nodes of an address book; without stakes (in tinybars by node id) each node has one vote. */
export const weighNodes = (
  book: AddressBook,
  stakes: ReadonlyMap<bigint, bigint> | undefined,
  mode: ConsensusMode = 'STAKE_IN_ADDRESS_BOOK',
): NodeWeights => {
  if (stakes !== undefined && mode !== 'EQUAL') {
    const byNode = new Map(book.entries.map(({ nodeId }) => [nodeId, stakes.get(nodeId) ?? 0n]));
    const total = sum(mode === 'STAKE' ? stakes.values() : byNode.values());
    if (total > 0n) return { total, byNode };
  }
  return { total: BigInt(book.entries.length), byNode: new Map(book.entries.map(({ nodeId }) => [nodeId, 1n])) };
};

const sum = (values: Iterable<bigint>): bigint => {
  let total = 0n;
  for (const value of values) total += value;
  return total;
};

/** The weight that proves a file: ceil(ratio * total). Zero for ratio 0, by which any one valid signature proves it. */
export const requiredWeight = (ratio: Ratio, total: bigint): bigint =>
  (ratio.numerator * total + ratio.denominator - 1n) / ratio.denominator;

/** A node's verified statement about a file. */
export interface VerifiedSignature {
  readonly nodeId: bigint;
  readonly fileHash: Uint8Array;
  readonly metadataHash: Uint8Array | null;
}

/** Nodes that signed the same file hash and metadata hash. */
export interface SignatureGroup {
  readonly fileHash: Uint8Array;
  readonly metadataHash: Uint8Array | null;
  readonly nodeIds: readonly bigint[];
  readonly weight: bigint;
}

export interface Tally {
  readonly total: bigint;
  readonly required: bigint;
  /** Heaviest first. */
  readonly groups: readonly SignatureGroup[];
  /**
   * The group that proves the file: the heaviest, if it reaches the required weight. Two groups of equal weight prove
   * nothing, since nothing tells which of them is the ledger.
   */
  readonly agreed: SignatureGroup | undefined;
  /** No signature still missing could change `agreed`: its group holds more than half of the total. */
  readonly final: boolean;
}

/**
 * Counts verified signatures. A node counts once, for the first of its statements.
 */
export const tally = (signatures: Iterable<VerifiedSignature>, weights: NodeWeights, ratio: Ratio): Tally => {
  const required = requiredWeight(ratio, weights.total);
  const seen = new Set<bigint>();
  const byHash = new Map<string, { signature: VerifiedSignature; nodeIds: bigint[]; weight: bigint }>();
  for (const signature of signatures) {
    if (seen.has(signature.nodeId)) continue;
    seen.add(signature.nodeId);
    const key = hashKey(signature);
    const group = byHash.get(key) ?? { signature, nodeIds: [], weight: 0n };
    group.nodeIds.push(signature.nodeId);
    group.weight += weights.byNode.get(signature.nodeId) ?? 0n;
    byHash.set(key, group);
  }
  const groups = [...byHash.values()]
    .map(({ signature: { fileHash, metadataHash }, nodeIds, weight }) => ({
      fileHash,
      metadataHash,
      // Signatures are read side by side and arrive in any order.
      nodeIds: nodeIds.sort((a, b) => (a < b ? -1 : 1)),
      weight,
    }))
    .sort((a, b) => (a.weight === b.weight ? 0 : a.weight > b.weight ? -1 : 1));
  const [first, second] = groups;
  const reaches = first !== undefined && weights.total > 0n && first.weight >= required;
  const agreed = reaches && first.weight !== second?.weight ? first : undefined;
  return { total: weights.total, required, groups, agreed, final: (agreed?.weight ?? 0n) * 2n > weights.total };
};

const hashKey = ({ fileHash, metadataHash }: VerifiedSignature): string =>
  toHex(fileHash) + (metadataHash === null ? '' : toHex(metadataHash));
