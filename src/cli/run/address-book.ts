/** The address book that proves the first stream files: from where the operator put it, else the network's own. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { KagamiError } from '../../errors/kagami-error.ts';
import { bootstrapAddressBook, networkPreset } from '../../importer/networks/network-preset.ts';
import { findNodeFolders } from '../../sources/folder-layout.ts';
import type { SourceLocation } from '../../sources/source-location.ts';
import { type AddressBook, parseAddressBook } from '../../streams/address-book.ts';
import { parseStreamFileName } from '../../streams/stream-file-name.ts';
import { eachName } from './record-file-count.ts';

/** Names under which folders of stream files carry their own address book. */
const BESIDE_STREAMS = ['address_book.bin', 'addressBook.bin', 'addressbook.bin'];

export interface AddressBookRequest {
  /** `hiero.mirror.importer.initialAddressBook`; empty: look into the folder, then at the network. */
  readonly configured: string;
  /** Where the files are; undefined where there are none. */
  readonly location: SourceLocation | undefined;
  readonly cwd: string;
  /** The network that someone named; a public one has a book of its own. */
  readonly network?: string | undefined;
  /** Consensus time in nanoseconds at which the import begins; unknown: that of the first file in the folder. */
  readonly begins?: bigint | undefined;
}

/** Path of the address book: the configured one, else one that lies in the folder itself; undefined when there is none. */
export const findAddressBook = ({
  configured,
  location,
  cwd,
}: Pick<AddressBookRequest, 'configured' | 'location' | 'cwd'>): string | undefined => {
  if (configured !== '') return resolve(cwd, configured);
  if (location?.kind !== 'folder') return undefined;
  return BESIDE_STREAMS.map((name) => join(location.path, name)).find((path) => existsSync(path));
};

/**
 * The address book of a file, else the one that the named network had when the import begins; undefined when there is
 * neither.
 * @throws KagamiError STREAM_BAD_ADDRESS_BOOK, CONFIG_INVALID when the file can't be read
 */
export const readAddressBook = async (
  request: AddressBookRequest,
  network: { readonly shard: bigint; readonly realm: bigint },
): Promise<AddressBook | undefined> => {
  const path = findAddressBook(request);
  if (path !== undefined) {
    return parseAddressBook(readBookFile(path), { source: path, shard: network.shard, realm: network.realm });
  }
  const preset = request.network === undefined ? undefined : networkPreset(request.network);
  if (preset === undefined) return undefined;
  return bootstrapAddressBook(preset, request.begins ?? (await firstFileTime(request.location)));
};

/**
 * Like `readAddressBook`; without a book, and only if files need not be signed, an empty one that proves nothing.
 * @throws KagamiError STREAM_BAD_ADDRESS_BOOK, CONFIG_INVALID when there is none and it is needed
 */
export const openAddressBook = async (
  request: AddressBookRequest,
  network: { readonly shard: bigint; readonly realm: bigint },
  signaturesNeeded: boolean,
): Promise<AddressBook> => {
  const book = await readAddressBook(request, network);
  if (book !== undefined) return book;
  if (!signaturesNeeded) return { entries: [], byNodeId: new Map(), byAccountId: new Map(), bytes: new Uint8Array() };
  const place =
    request.location?.kind === 'folder' ? `, or put it into ${request.location.path} as address_book.bin` : '';
  throw new KagamiError(
    'CONFIG_INVALID',
    'No address book: give --address-book FILE (the contents of system file 0.0.102 at the time of the first file) or ' +
      `--network with the name of a public network${place}`,
    { details: { setting: 'hiero.mirror.importer.initialAddressBook' } },
  );
};

/** Books have a few KiB for each node. */
const MAX_BOOK_BYTES = 16 * 1024 * 1024;

const readBookFile = (path: string): Uint8Array => {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) throw new Error('it is not a file');
    if (stats.size > MAX_BOOK_BYTES) throw new Error(`it has ${stats.size} bytes, at most ${MAX_BOOK_BYTES} are read`);
    return readFileSync(path);
  } catch (cause) {
    throw new KagamiError('CONFIG_INVALID', `Cannot read the address book ${path}: ${(cause as Error).message}`, {
      details: { setting: 'hiero.mirror.importer.initialAddressBook', path },
      cause,
    });
  }
};

/** Time in the name of a folder's first record file; -1n without one, and for buckets, which are too large to look. */
const firstFileTime = async (location: SourceLocation | undefined): Promise<bigint> => {
  if (location?.kind !== 'folder') return -1n;
  let first: bigint | undefined;
  for (const node of await findNodeFolders(location.path)) {
    await eachName(node.path, (name) => {
      const nanos = parseStreamFileName(name)?.nanos;
      if (nanos !== undefined && (first === undefined || nanos < first)) first = nanos;
    });
  }
  return first ?? -1n;
};
