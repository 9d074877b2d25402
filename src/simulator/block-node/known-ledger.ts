/** What a block node knows of the ledger whose blocks it stores, from the files beside them. */
import { LedgerIdPublicationTransactionBody } from '../../protobuf/generated/services/auxiliary/tss/ledger_id_publication.ts';
import { NodeAddressBook } from '../../protobuf/generated/services/basic_types.ts';
import { ADDRESS_BOOK_FILE, LEDGER_ID_FILE } from '../simulation.ts';
import { readIfPresent } from '../state/atomic-file.ts';

export interface KnownLedger {
  /** By what threshold signatures are verified; undefined where blocks have none. */
  readonly publication: LedgerIdPublicationTransactionBody | undefined;
  /** Number of the first block that they may sign. */
  readonly validFrom: bigint;
  /** Whose signatures prove wrapped record blocks. */
  readonly addressBook: NodeAddressBook | undefined;
}

/** Of a simulated ledger's folder. */
export const readKnownLedger = async (directory: string, validFrom: bigint): Promise<KnownLedger> => {
  const [publication, addressBook] = await Promise.all(
    [LEDGER_ID_FILE, ADDRESS_BOOK_FILE].map((name) => readIfPresent(`${directory}/${name}`)),
  );
  return {
    publication: publication && LedgerIdPublicationTransactionBody.decode(publication),
    validFrom,
    addressBook: addressBook && NodeAddressBook.decode(addressBook),
  };
};
