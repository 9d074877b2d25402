import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyEncodedRows } from './copy.ts';
import { chunkBytes } from './copy-query.ts';
import { EncodedRows } from './encoded-rows.ts';
import type { RowOf } from './table.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.fixture.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const contract = (id: bigint, size = 3): RowOf<'contract'> => ({
  id,
  file_id: id * 2n,
  initcode: new Uint8Array(size).fill(Number(id % 251n)),
  runtime_bytecode: null,
});

const stored = (from: bigint, to: bigint) =>
  test.database.query(
    `select id, file_id, length(initcode) as size, get_byte(initcode, 0) as filled from contract
     where id between $1 and $2 order by id`,
    [from, to],
  );

const expected = (rows: readonly RowOf<'contract'>[]) =>
  rows.map(({ id, file_id, initcode }) => ({
    id: String(id),
    file_id: String(file_id),
    size: initcode?.length,
    filled: initcode?.[0],
  }));

describe('encoded rows', () => {
  it('are written before those that are not encoded yet', async () => {
    const encoded = new EncodedRows('contract');
    const rows = [contract(1n), contract(2n)];
    for (const row of rows) encoded.add(row);
    expect(encoded.count).toBe(2);
    const written = await test.database.withClient((client) =>
      copyEncodedRows(client, 'contract', encoded, [contract(3n)]),
    );
    expect(written).toBe(3);
    expect(await stored(1n, 9n)).toEqual(expected([...rows, contract(3n)]));
  });

  it('fill several chunks, the last one not at all when a row ends with the one before', async () => {
    const rows = [contract(10n, chunkBytes * 2), contract(11n, 100), contract(12n, chunkBytes)];
    const encode = (): EncodedRows<'contract'> => {
      const encoded = new EncodedRows('contract');
      for (const row of rows) encoded.add(row);
      return encoded;
    };
    const once = encode();
    expect([...once.chunks()]).toHaveLength(2);
    // Each was given up, so that its memory is free while the next one is sent.
    expect([...once.chunks()]).toEqual([]);
    const encoded = encode();
    await test.database.withClient((client) => copyEncodedRows(client, 'contract', encoded, []));
    expect(await stored(10n, 19n)).toEqual(expected(rows));
  });

  it('leave no memory behind once they are sent', async () => {
    const encoded = new EncodedRows('contract');
    for (let id = 30n; id < 33n; id++) encoded.add(contract(id, chunkBytes));
    const chunks = encoded.chunks.bind(encoded);
    const sent: Buffer[] = [];
    encoded.chunks = function* () {
      for (const chunk of chunks()) {
        sent.push(chunk);
        yield chunk;
      }
    };
    await test.database.withClient((client) => copyEncodedRows(client, 'contract', encoded, []));
    expect(sent.map(({ buffer }) => buffer.byteLength)).toEqual([0, 0, 0]);
    expect((await stored(30n, 39n)).map(({ size }) => size)).toEqual([chunkBytes, chunkBytes, chunkBytes]);
  });

  it('keep what their row said when they were added', async () => {
    const encoded = new EncodedRows('contract');
    const row = contract(20n);
    encoded.add(row);
    row.file_id = 7n;
    await test.database.withClient((client) => copyEncodedRows(client, 'contract', encoded, []));
    expect(await stored(20n, 20n)).toEqual(expected([contract(20n)]));
  });

  it('refuse a value that does not fit', () => {
    const encoded = new EncodedRows('contract');
    expect(() => encoded.add(contract(1n << 63n))).toThrowError(expect.objectContaining({ code: 'ROW_INVALID' }));
  });
});
