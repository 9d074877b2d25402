import type { DatabaseClient, Queryable } from '../../database/connection.ts';
import { copyRows } from '../../database/copy.ts';
import { fileContentSql } from '../../database/file-content.ts';
import type { RowOf } from '../../database/table.ts';
import { isKagamiError } from '../../errors/kagami-error.ts';
import { type EntityId, encodeEntityId } from '../../ledger/entity-id.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import { type AddressBook, parseAddressBook } from '../../streams/address-book.ts';

const ADDRESS_BOOK_FILES = [101n, 102n] as const;
/** Nodes, clients and this importer follow 0.0.102; 0.0.101 is an older form of the same. */
const CURRENT_BOOK_FILE = 102n;

export interface NetworkIds {
  readonly shard: bigint;
  readonly realm: bigint;
}

/** Entity ids of the two address book files of a network. */
export const addressBookFileIds = ({ shard, realm }: NetworkIds): readonly EntityId[] =>
  ADDRESS_BOOK_FILES.map((num) => encodeEntityId(shard, realm, num));

interface BookRow {
  readonly start_consensus_timestamp: string;
  readonly file_data: Buffer;
}

/**
 * The address book that is in force: the newest version of file 0.0.102 that began before now.
 * Undefined in a database that has none.
 */
export const readCurrentAddressBook = async (
  database: Queryable,
  network: NetworkIds,
): Promise<AddressBook | undefined> => {
  const [row] = await database.query<BookRow>(
    'select start_consensus_timestamp, file_data from address_book where file_id = $1 ' +
      'order by start_consensus_timestamp desc limit 1',
    [encodeEntityId(network.shard, network.realm, CURRENT_BOOK_FILE)],
  );
  if (row === undefined) return undefined;
  return parseAddressBook(row.file_data, { source: `address book of ${row.start_consensus_timestamp}`, ...network });
};

/** Stake by node id in tinybars, from the newest staking period; undefined before there is one. */
export const readStakes = async (database: Queryable): Promise<ReadonlyMap<bigint, bigint> | undefined> => {
  const rows = await database.query<{ node_id: string; stake: string }>(
    'select node_id, stake from node_stake where consensus_timestamp = (select max(consensus_timestamp) from node_stake)',
  );
  return rows.length === 0 ? undefined : new Map(rows.map((row) => [BigInt(row.node_id), BigInt(row.stake)]));
};

/**
 * Keeps the book that the first files are proven with, as version 0 of file 0.0.102. Takes the place of one that was kept
 * before it and proved nothing yet; does nothing once there are blocks.
 */
export const storeInitialAddressBook = async (
  client: DatabaseClient,
  book: AddressBook,
  network: NetworkIds,
): Promise<void> => {
  const [existing] = await client.query<{ file_data: Buffer; used: boolean }>(
    'select file_data, exists(select 1 from record_file) as used from address_book ' +
      'order by start_consensus_timestamp limit 1',
  );
  if (existing !== undefined) {
    if (existing.used || existing.file_data.equals(book.bytes)) return;
    await client.query('delete from address_book_service_endpoint');
    await client.query('delete from address_book_entry');
    await client.query('delete from address_book');
  }
  await insertBook(client, book, encodeEntityId(network.shard, network.realm, CURRENT_BOOK_FILE), 0n);
};

/**
 * Turns changes of the address book files into versions of the address book. Called after the rows of a block stand in
 * `file_data`, in the same database transaction. Content that is not a whole book yet (one uploaded in parts) waits for
 * its next part.
 * @returns whether there is a new version of the current book.
 */
export const applyAddressBookChanges = async (
  client: DatabaseClient,
  changes: readonly RowOf<'file_data'>[],
  network: NetworkIds,
): Promise<boolean> => {
  const currentFile = encodeEntityId(network.shard, network.realm, CURRENT_BOOK_FILE);
  let changed = false;
  for (const change of changes) {
    if (change.file_data === null || change.file_data.length === 0) continue;
    const content = await contentAsOf(client, change);
    const book = content === undefined ? undefined : wholeBook(content, network);
    if (book === undefined) continue;
    const inserted = await insertBook(client, book, change.entity_id, change.consensus_timestamp);
    changed ||= inserted && change.entity_id === currentFile;
  }
  return changed;
};

/** The file's content after `change`: an append needs everything since the last create or update with content. */
const contentAsOf = async (client: DatabaseClient, change: RowOf<'file_data'>): Promise<Uint8Array | undefined> => {
  if (change.transaction_type !== TransactionType.FILEAPPEND) return change.file_data ?? undefined;
  const [version] = await client.query<{ content: Buffer | null }>(fileContentSql({ file: '$1', until: '$2' }), [
    change.entity_id,
    change.consensus_timestamp,
  ]);
  return version?.content ?? undefined;
};

const wholeBook = (content: Uint8Array, network: NetworkIds): AddressBook | undefined => {
  try {
    return parseAddressBook(content, network);
  } catch (fault) {
    if (isKagamiError(fault, 'STREAM_BAD_ADDRESS_BOOK')) return undefined;
    throw fault;
  }
};

/** A version begins one nanosecond after its transaction; the version before it ends with the transaction. */
const insertBook = async (
  client: DatabaseClient,
  book: AddressBook,
  fileId: EntityId,
  consensusTimestamp: bigint,
): Promise<boolean> => {
  const start = consensusTimestamp + 1n;
  const [existing] = await client.query('select 1 from address_book where start_consensus_timestamp = $1', [start]);
  if (existing !== undefined) return false;
  await client.query(
    'update address_book set end_consensus_timestamp = $2 where file_id = $1 and end_consensus_timestamp is null ' +
      'and start_consensus_timestamp = (select max(start_consensus_timestamp) from address_book ' +
      'where file_id = $1 and start_consensus_timestamp < $3)',
    [fileId, consensusTimestamp, start],
  );
  await copyRows(client, 'address_book', [
    {
      start_consensus_timestamp: start,
      end_consensus_timestamp: null,
      file_id: fileId,
      node_count: book.entries.length,
      file_data: book.bytes,
    },
  ]);
  await copyRows(client, 'address_book_entry', entryRows(book, start));
  await copyRows(client, 'address_book_service_endpoint', endpointRows(book, start));
  return true;
};

const entryRows = (book: AddressBook, start: bigint): RowOf<'address_book_entry'>[] =>
  book.entries.map((entry) => ({
    consensus_timestamp: start,
    memo: entry.memo,
    public_key: entry.publicKeyHex,
    node_id: entry.nodeId,
    node_account_id: entry.accountId,
    node_cert_hash: entry.nodeCertHash,
    description: entry.description,
    stake: entry.stake,
  }));

const endpointRows = (book: AddressBook, start: bigint): RowOf<'address_book_service_endpoint'>[] =>
  book.entries.flatMap((entry) =>
    entry.endpoints.map((endpoint) => ({
      consensus_timestamp: start,
      ip_address_v4: endpoint.ipAddressV4,
      node_id: entry.nodeId,
      port: endpoint.port,
      domain_name: endpoint.domainName,
    })),
  );
