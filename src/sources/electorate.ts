import type { AddressBook } from '../streams/address-book.ts';
import type { NodeWeights, Ratio } from '../streams/consensus.ts';

/** Who may prove files: the nodes' keys, their weights, and the part of the weight that is enough. */
export interface Electorate {
  readonly book: AddressBook;
  readonly weights: NodeWeights;
  readonly ratio: Ratio;
}
