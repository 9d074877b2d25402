import type { AddressBookEntry } from '../streams/address-book.ts';
import { parseRatio, requiredWeight } from '../streams/consensus.ts';
import type { Electorate } from './electorate.ts';

/**
 * Nodes of the electorate that together weigh `ratio` of all, at least what proves a file, chosen at random; all of them
 * for ratio 1. Heavy ones come first, since their signatures decide soonest.
 * @param random numbers in [0, 1)
 */
export const chooseNodes = (
  { book, weights, ratio: consensusRatio }: Electorate,
  ratio: string,
  random: () => number,
): readonly AddressBookEntry[] => {
  const weightOf = ({ nodeId }: AddressBookEntry): bigint => weights.byNode.get(nodeId) ?? 0n;
  const wanted = requiredWeight(parseRatio(ratio), weights.total);
  const proving = requiredWeight(consensusRatio, weights.total);
  const isEnough = (weight: bigint): boolean => weight >= wanted && weight >= proving;
  const chosen: AddressBookEntry[] = [];
  if (wanted === weights.total) {
    chosen.push(...book.entries);
  } else {
    const drawn = book.entries.map((entry) => ({ entry, place: random() })).sort((a, b) => a.place - b.place);
    let weight = 0n;
    for (const { entry } of drawn) {
      // Nodes without weight prove nothing.
      if (isEnough(weight) && chosen.length > 0) break;
      if (weightOf(entry) === 0n) continue;
      chosen.push(entry);
      weight += weightOf(entry);
    }
  }
  return chosen.sort((a, b) => compare(weightOf(b), weightOf(a)) || compare(a.nodeId, b.nodeId));
};

const compare = (a: bigint, b: bigint): number => (a === b ? 0 : a < b ? -1 : 1);
