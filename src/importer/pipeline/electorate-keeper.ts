import type { Queryable } from '../../database/connection.ts';
import type { Electorate } from '../../sources/electorate.ts';
import type { AddressBook } from '../../streams/address-book.ts';
import { type ConsensusMode, type Ratio, weighNodes } from '../../streams/consensus.ts';
import { type NetworkIds, readCurrentAddressBook, readStakes } from './address-books.ts';

export interface ElectorateRules {
  readonly mode: ConsensusMode;
  readonly ratio: Ratio;
}

const NO_BOOK: AddressBook = {
  entries: [],
  byNodeId: new Map(),
  byAccountId: new Map(),
  bytes: new Uint8Array(0),
};

/** Who may prove the next files. Follows the address book and the stakes that the ledger itself records. */
export class ElectorateKeeper {
  readonly #rules: ElectorateRules;
  readonly #network: NetworkIds;
  #current: Electorate;

  constructor(rules: ElectorateRules, network: NetworkIds) {
    this.#rules = rules;
    this.#network = network;
    this.#current = { book: NO_BOOK, weights: weighNodes(NO_BOOK, undefined), ratio: rules.ratio };
  }

  get current(): Electorate {
    return this.#current;
  }

  /** Without nodes, only files that are explicitly trusted can be read. */
  get isEmpty(): boolean {
    return this.#current.book.entries.length === 0;
  }

  /** Reads the address book and the stakes in force; to be called after a commit that changed them. */
  async refresh(database: Queryable): Promise<void> {
    const book = (await readCurrentAddressBook(database, this.#network)) ?? NO_BOOK;
    const stakes = await readStakes(database);
    this.#current = { book, weights: weighNodes(book, stakes, this.#rules.mode), ratio: this.#rules.ratio };
  }
}
