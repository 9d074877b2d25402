/** The address book that proves the first stream files, from where the operator put it. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { KagamiError } from '../../errors/kagami-error.ts';
import { type AddressBook, parseAddressBook } from '../../streams/address-book.ts';

/** Names under which folders of stream files carry their own address book. */
const BESIDE_STREAMS = ['address_book.bin', 'addressBook.bin', 'addressbook.bin'];

export interface AddressBookRequest {
  /** `hiero.mirror.importer.initialAddressBook`; empty: look into the folder. */
  readonly configured: string;
  readonly folder: string;
  readonly cwd: string;
}

/** Path of the address book: the configured one, else one that lies in the folder itself; undefined when there is none. */
export const findAddressBook = ({ configured, folder, cwd }: AddressBookRequest): string | undefined => {
  if (configured !== '') return resolve(cwd, configured);
  return BESIDE_STREAMS.map((name) => join(resolve(cwd, folder), name)).find((path) => existsSync(path));
};

/**
 * Reads the address book; without one, and only if files need not be signed, an empty one that proves nothing.
 * @throws KagamiError STREAM_BAD_ADDRESS_BOOK, CONFIG_INVALID when there is none and it is needed
 */
export const openAddressBook = (
  request: AddressBookRequest,
  network: { readonly shard: bigint; readonly realm: bigint },
  signaturesNeeded: boolean,
): AddressBook => {
  const path = findAddressBook(request);
  if (path === undefined) {
    if (!signaturesNeeded) return { entries: [], byNodeId: new Map(), byAccountId: new Map(), bytes: new Uint8Array() };
    throw new KagamiError(
      'CONFIG_INVALID',
      'No address book: give --address-book FILE (the contents of system file 0.0.102 at the time of the first file), ' +
        `or put it into ${request.folder} as address_book.bin`,
      { details: { setting: 'hiero.mirror.importer.initialAddressBook' } },
    );
  }
  return parseAddressBook(readAddressBook(path), { source: path, shard: network.shard, realm: network.realm });
};

const readAddressBook = (path: string): Uint8Array => {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new KagamiError('CONFIG_INVALID', `Cannot read the address book ${path}: ${(cause as Error).message}`, {
      details: { setting: 'hiero.mirror.importer.initialAddressBook', path },
      cause,
    });
  }
};
