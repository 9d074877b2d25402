import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Column, enums, type Int8Range, type Table } from './column.ts';
import type { DatabaseClient } from './connection.ts';
import { copyRows } from './copy.ts';
import { type RowOf, type TableName, tableNamed, tableNames } from './table.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.fixture.ts';

const int8Min = -(2n ** 63n);
const int8Max = 2n ** 63n - 1n;

const smallBytes = fc.uint8Array({ maxLength: 40 });
const anyInt8 = fc.oneof(fc.constantFrom(int8Min, -1n, 0n, 1n, int8Max), fc.bigInt({ min: int8Min, max: int8Max }));
const anyText = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom('é', '\u{1f600}', '"', '\\', '\n', "'", '\u{feff}'),
      fc.string({ minLength: 1, maxLength: 1 }),
    ),
    maxLength: 20,
  })
  .map((value) => value.replaceAll('\0', '').slice(0, 15).toWellFormed());

const anyValueOf = (name: string, column: Column): fc.Arbitrary<unknown> => {
  if (column.type in enums) return fc.constantFrom(...enums[column.type as keyof typeof enums]);
  switch (column.wire) {
    case 'bool':
      return fc.boolean();
    case 'int2':
      return fc.oneof(fc.constantFrom(-32768, 32767, 0), fc.integer({ min: -32768, max: 32767 }));
    case 'int4':
      return fc.oneof(fc.constantFrom(-(2 ** 31), 2 ** 31 - 1, 0), fc.integer());
    case 'int8':
      return anyInt8;
    case 'text':
      return anyText;
    case 'bytea':
      // The hash of a transaction chooses its partition by the first byte.
      return name === 'hash' ? fc.uint8Array({ minLength: 1, maxLength: 48 }) : smallBytes;
    case 'jsonb':
      return fc
        .record({ a: fc.integer(), text: anyText, list: fc.array(fc.boolean(), { maxLength: 3 }) })
        .map((v) => JSON.stringify(v));
    case 'int8range':
      return fc
        .tuple(fc.bigInt({ min: int8Min, max: int8Max - 1n }), fc.option(fc.bigInt({ min: 1n, max: 2n ** 62n })))
        .map(
          ([lower, width]): Int8Range => ({
            lower,
            upper: width === null || lower > int8Max - width ? null : lower + width,
          }),
        );
    case 'timestamptz':
      return fc.bigInt({ min: -(10n ** 18n), max: 4n * 10n ** 18n });
    case 'int2[]':
      return fc.array(fc.integer({ min: -32768, max: 32767 }), { maxLength: 5 });
    case 'int4[]':
      return fc.array(fc.integer(), { maxLength: 5 });
    case 'int8[]':
      return fc.array(anyInt8, { maxLength: 5 });
    case 'bytea[]':
      return fc.array(smallBytes, { maxLength: 5 });
  }
};

const rowOf = (table: Table): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(
    Object.fromEntries(
      Object.entries(table.columns).map(([name, column]) => {
        const value = anyValueOf(name, column);
        return [name, column.nullable ? fc.option(value) : value];
      }),
    ),
  );

/** The value as the connection gives it back. */
const arrived = (column: Column, value: unknown): unknown => {
  if (value === null) return null;
  switch (column.wire) {
    case 'int8':
      return String(value);
    case 'bytea':
      return Buffer.from(value as Uint8Array).toString('hex');
    case 'jsonb':
      return JSON.parse(value as string);
    case 'int8range': {
      const { lower, upper } = value as Int8Range;
      return `[${lower},${upper ?? ''})`;
    }
    case 'timestamptz': {
      const nanos = value as bigint;
      return String(
        ((nanos % 1000n) + 1000n) % 1000n === 0n
          ? nanos / 1000n
          : (nanos - (((nanos % 1000n) + 1000n) % 1000n)) / 1000n,
      );
    }
    case 'int8[]':
      return (value as bigint[]).map(String);
    case 'bytea[]':
      return (value as Uint8Array[]).map((bytes) => Buffer.from(bytes).toString('hex'));
    default:
      return value;
  }
};

const received = (column: Column, value: unknown): unknown => {
  if (value === null) return null;
  if (column.wire === 'bytea') return (value as Buffer).toString('hex');
  if (column.wire === 'bytea[]') return (value as Buffer[]).map((bytes) => bytes.toString('hex'));
  if (column.wire === 'jsonb') return JSON.parse(value as string);
  return value;
};

const transfer = (timestamp: bigint, amount: bigint): RowOf<'crypto_transfer'> => ({
  entity_id: 1001n,
  consensus_timestamp: timestamp,
  amount,
  payer_account_id: 2n,
  is_approval: false,
  errata: null,
});

describe('binary COPY', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());

  const roundTrip = async (client: DatabaseClient, name: TableName, rows: Record<string, unknown>[]): Promise<void> => {
    const { columns } = tableNamed(name);
    // A plain copy of the table: the round trip is about types, not about keys and partitions.
    const target = `copy_of_${name}`;
    await client.query(`create temp table if not exists ${target} as table ${name} with no data`);
    await client.query(`alter table ${target} add column if not exists n serial`);
    await copyRows(client, name, rows as never[], { into: target });
    const list = Object.entries(columns).map(([column, { wire }]) =>
      wire === 'timestamptz' ? `(extract(epoch from "${column}") * 1000000)::bigint as "${column}"` : `"${column}"`,
    );
    const back = await client.query(`select ${list.join(', ')} from ${target} order by n`);
    await client.query(`truncate ${target}`);
    const expected = rows.map((row) =>
      Object.fromEntries(
        Object.entries(columns).map(([column, description]) => [column, arrived(description, row[column])]),
      ),
    );
    const actual = back.map((row) =>
      Object.fromEntries(
        Object.entries(columns).map(([column, description]) => [column, received(description, row[column])]),
      ),
    );
    expect(actual).toEqual(expected);
  };

  it.each(tableNames)('gives back what was written: %s', async (name) => {
    await test.database.withClient((client) =>
      fc.assert(
        fc.asyncProperty(fc.array(rowOf(tableNamed(name)), { minLength: 1, maxLength: 30 }), (rows) =>
          roundTrip(client, name, rows),
        ),
        { numRuns: 8 },
      ),
    );
  });

  it('writes many chunks and values larger than a chunk', async () => {
    const big = new Uint8Array(700_000).fill(0xab);
    await test.database.transaction(async (client) => {
      function* rows(): Generator<RowOf<'crypto_transfer'>> {
        for (let i = 0n; i < 50_000n; i += 1n) yield transfer(i, i * 1_000_000_007n);
      }
      expect(await copyRows(client, 'crypto_transfer', rows())).toBe(50_000);
      const [sum] = await client.query('select sum(amount)::bigint as sum, count(*) as count from crypto_transfer');
      expect(sum).toEqual({ sum: String(49_999n * 25_000n * 1_000_000_007n), count: '50000' });

      await copyRows(client, 'contract', [{ id: 1n, file_id: null, initcode: big, runtime_bytecode: big }]);
      const [contract] = await client.query(
        'select length(initcode) as a, runtime_bytecode = initcode as same from contract',
      );
      expect(contract).toEqual({ a: 700_000, same: true });
    });
  });

  it('sends nothing without rows', async () => {
    await test.database.withClient(async (client) => {
      expect(await copyRows(client, 'nft', [])).toBe(0);
    });
  });

  it('names table and column of a value that does not fit, and leaves the connection usable', async () => {
    await test.database.withClient(async (client) => {
      await expect(copyRows(client, 'crypto_transfer', [transfer(1n, 2n ** 63n)])).rejects.toMatchObject({
        code: 'ROW_INVALID',
        message: 'Column amount of crypto_transfer: 9223372036854775808 is no bigint',
        details: { table: 'crypto_transfer', column: 'amount' },
      });
      expect(await client.query('select 1 as one')).toEqual([{ one: 1 }]);
    });
  });

  it('reports what the server refuses, and leaves the connection usable', async () => {
    await test.database.withClient(async (client) => {
      const row = { id: 7n, file_id: null, initcode: null, runtime_bytecode: null };
      await expect(copyRows(client, 'contract', [row, row])).rejects.toMatchObject({
        code: 'DATABASE_QUERY_FAILED',
        details: { sqlState: '23505', constraint: 'contract_pkey' },
      });
      expect(await client.query('select 1 as one')).toEqual([{ one: 1 }]);
    });
  });

  it('stops early when the server refuses a row while many more are on their way', async () => {
    await test.database.withClient(async (client) => {
      const code = new Uint8Array(2_000);
      for (let round = 0; round < 5; round += 1) {
        let produced = 0;
        function* rows(): Generator<RowOf<'contract'>> {
          for (; produced < 200_000; produced += 1) {
            yield { id: 1000n + BigInt(produced % 3000), file_id: null, initcode: code, runtime_bytecode: null };
          }
        }
        await expect(copyRows(client, 'contract', rows())).rejects.toMatchObject({ details: { sqlState: '23505' } });
        expect(produced).toBeLessThan(100_000);
        expect(await client.query('select count(*)::int4 as n from contract where id >= 1000')).toEqual([{ n: 0 }]);
      }
    });
  });

  it('stops when the source of rows throws, and leaves the connection usable', async () => {
    await test.database.withClient(async (client) => {
      function* rows(): Generator<RowOf<'crypto_transfer'>> {
        for (let i = 0n; i < 20_000n; i += 1n) yield transfer(i, 1n);
        throw new Error('source ended badly');
      }
      await expect(copyRows(client, 'crypto_transfer', rows())).rejects.toThrow('source ended badly');
      expect(await client.query('select count(*) from crypto_transfer where amount = 1')).toEqual([{ count: '0' }]);
    });
  });

  it('fails as unavailable when the connection breaks in the middle', async () => {
    const copying = test.database.withClient(async (client) => {
      const [{ pid } = { pid: 0 }] = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      function* rows(): Generator<RowOf<'crypto_transfer'>> {
        for (let i = 0n; ; i += 1n) {
          if (i === 30_000n) void test.database.query('select pg_terminate_backend($1)', [pid]);
          yield transfer(i, 1n);
        }
      }
      await copyRows(client, 'crypto_transfer', rows());
    });
    await expect(copying).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE', retryable: true });
  });

  it('writes chosen columns and leaves the others to their defaults', async () => {
    await test.database.withClient(async (client) => {
      await copyRows(client, 'topic', [{ id: 9n, timestamp_range: { lower: 3n, upper: null } } as RowOf<'topic'>], {
        columns: ['id', 'timestamp_range'],
      });
      expect(await client.query('select id, timestamp_range, admin_key from topic')).toEqual([
        { id: '9', timestamp_range: '[3,)', admin_key: null },
      ]);
    });
  });
});
