import { afterAll, beforeAll, expect, it } from 'vitest';
import { TransactionType } from '../ledger/transaction-type.ts';
import { fileContentSql } from './file-content.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.fixture.ts';

let test: TestDatabase;

const { FILECREATE, FILEUPDATE, FILEAPPEND } = TransactionType;
const rows: readonly (readonly [time: number, type: number, content: string])[] = [
  [10, FILECREATE, 'one'],
  [20, FILEAPPEND, ' two'],
  [30, FILEUPDATE, ''],
  [40, FILEAPPEND, ' three'],
  [50, FILEUPDATE, 'new'],
  [60, FILEAPPEND, ' end'],
  [70, FILEUPDATE, ''],
];

beforeAll(async () => {
  test = await createTestDatabase();
  for (const [time, type, content] of rows) {
    await test.database.query(
      'insert into file_data (consensus_timestamp, entity_id, file_data, transaction_type) values ($1, 150, $2, $3)',
      [time, Buffer.from(content), type],
    );
  }
});

afterAll(() => test.drop());

const contentAt = async (until: number, from = 0) => {
  const [row] = await test.database.query<{ content: Buffer | null; consensus_timestamp: string | null }>(
    fileContentSql({ file: '150', from: '$1', until: '$2' }),
    [from, until],
  );
  return [row?.content?.toString() ?? null, row?.consensus_timestamp];
};

it('gives what was created or updated last, and what was appended since', async () => {
  expect(await contentAt(9)).toEqual([null, null]);
  expect(await contentAt(10)).toEqual(['one', '10']);
  expect(await contentAt(29)).toEqual(['one two', '20']);
  expect(await contentAt(50)).toEqual(['new', '50']);
  expect(await contentAt(60)).toEqual(['new end', '60']);
});

it('does not begin anew with an update that leaves the content as it is', async () => {
  expect(await contentAt(39)).toEqual(['one two', '20']);
  expect(await contentAt(40)).toEqual(['one two three', '40']);
  expect(await contentAt(70)).toEqual(['new end', '60']);
});

it('knows nothing of a file whose beginning lies before the bounds', async () => {
  expect(await contentAt(45, 11)).toEqual([null, null]);
  expect(await contentAt(60, 45)).toEqual(['new end', '60']);
});

it('is a part of other statements', async () => {
  const found = await test.database.query(
    `select f.id, convert_from(v.content, 'utf8') as content
     from unnest(array[150, 151]::bigint[]) f(id) cross join lateral (${fileContentSql({ file: 'f.id' })}) v`,
  );
  expect(found).toEqual([
    { id: '150', content: 'new end' },
    { id: '151', content: null },
  ]);
});
