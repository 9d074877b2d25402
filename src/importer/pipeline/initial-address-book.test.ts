import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { type AddressBook, parseAddressBook } from '../../streams/address-book.ts';
import { addressBookBytes, makeNodes } from '../../streams/testing/network.fixture.ts';
import { readCurrentAddressBook, storeInitialAddressBook } from './address-books.ts';

const network = { shard: 0n, realm: 0n };
const bookOf = (nodes: number): AddressBook => parseAddressBook(addressBookBytes(makeNodes(nodes)));
const [wrong, right, late] = [bookOf(2), bookOf(3), bookOf(4)] as const;

let target: TestDatabase;
beforeEach(async () => {
  target = await createTestDatabase();
});
afterEach(() => target.drop());

const store = (book: AddressBook): Promise<void> =>
  target.database.transaction((client) => storeInitialAddressBook(client, book, network));
const counted = async (): Promise<unknown> => {
  const [row] = await target.database.query(
    'select (select count(*) from address_book) as books, (select count(*) from address_book_entry) as entries',
  );
  return row;
};

it('takes the place of another one until there are blocks', async () => {
  await store(wrong);
  expect(await counted()).toEqual({ books: '1', entries: '2' });
  await store(right);
  await store(right);
  expect(await counted()).toEqual({ books: '1', entries: '3' });
  await target.database.query(
    `insert into record_file (name, load_start, load_end, hash, file_hash, prev_hash, consensus_start, consensus_end, count,
       digest_algorithm, version, index, sidecar_count)
     values ('x', 0, 0, '00', '00', '00', 1, 2, 1, 0, 6, 0, 0)`,
  );
  await store(late);
  expect((await readCurrentAddressBook(target.database, network))?.entries).toHaveLength(3);
});
