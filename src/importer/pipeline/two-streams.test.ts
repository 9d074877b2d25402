/** One ledger as record files and as a block stream gives the same rows, but for columns that only one stream knows. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Queryable } from '../../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { transactionTypeName, transactionTypeNames } from '../../ledger/transaction-type.ts';
import type { LedgerFormOptions } from '../../simulator/blocks/ledger-form.ts';
import { type SimulatedLedger, simulateLedger } from '../../simulator/simulate-ledger.ts';
import { importBlocks } from './testing/block-run.fixture.ts';
import { importFolder } from './testing/import-run.fixture.ts';

/** Listed with their reasons in docs/block-streams.md. */
const KNOWN_BY_ONE_STREAM: Readonly<Record<string, readonly string[]>> = {
  contract_result: ['function_result'],
  record_file: [
    ...['name', 'size', 'bytes', 'load_start', 'load_end', 'hash', 'prev_hash', 'file_hash', 'version'],
    ...['software_version_major', 'software_version_minor', 'software_version_patch', 'round_start', 'round_end'],
    ...['hapi_version_minor', 'sidecar_count', 'wrapped_record_block_hash', 'previous_wrapped_record_block_hash'],
  ],
  transaction: ['congestion_pricing_multiplier', 'transaction_record_bytes'],
};
/** After which block a balance snapshot is taken depends on how fast an import goes; sidecar files are files. */
const LEFT_OUT: readonly string[] = ['account_balance', 'account_balance_file', 'token_balance', 'sidecar_file'];

type Row = Readonly<Record<string, unknown>>;

const tablesOf = async (database: Queryable): Promise<string[]> => {
  const rows = await database.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') " +
      'and not relispartition order by 1',
  );
  return rows.map(({ name }) => name).filter((name) => !LEFT_OUT.includes(name));
};

const rowsOf = async (database: Queryable, table: string): Promise<string[]> => {
  const rows = await database.query<{ row: string }>(
    `select (to_jsonb(t) - $1::text[])::text as row from ${table} t order by 1`,
    [KNOWN_BY_ONE_STREAM[table] ?? []],
  );
  return rows.map(({ row }) => row);
};

/** What only one of two lists of rows has, with the columns in which the two sides' rows differ. */
const differences = (records: readonly string[], blocks: readonly string[]): unknown => {
  const left = records.filter((row) => !new Set(blocks).has(row));
  const right = blocks.filter((row) => !new Set(records).has(row));
  if (left.length === 0 && right.length === 0 && records.length === blocks.length) return undefined;
  const columns: Record<string, unknown> = {};
  for (const [index, text] of left.entries()) {
    const other = right[index];
    if (other === undefined) break;
    const [a, b] = [JSON.parse(text) as Row, JSON.parse(other) as Row];
    for (const column of Object.keys(a)) {
      if (JSON.stringify(a[column]) !== JSON.stringify(b[column])) columns[column] ??= [a[column], b[column]];
    }
  }
  return {
    records: records.length,
    blocks: blocks.length,
    onlyRecords: left.length,
    onlyBlocks: right.length,
    columns,
  };
};

let folder: string;
let fromRecords: TestDatabase;
let fromBlocks: TestDatabase;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kagami-two-streams-'));
  [fromRecords, fromBlocks] = await Promise.all([createTestDatabase(), createTestDatabase()]);
});
afterEach(async () => {
  await Promise.all([fromRecords.drop(), fromBlocks.drop()]);
  await rm(folder, { recursive: true, force: true });
});

/** What comes so seldom that not every seed would bring it. */
const RARE =
  'nodebusiness=8,livehash=3,systemdelete=2,systemundelete=2,networkfreeze=1,uncheckedsubmit=1,ledgerid=1,nodecreate=2,' +
  'nodeupdate=2,nodedelete=2,registerednodecreate=3,registerednodeupdate=2,registerednodedelete=2';
/** Nodes send it without a result. */
const IN_NO_STREAM: readonly string[] = ['STATESIGNATURETRANSACTION'];

const simulate = async (seed: string, out: string, form: LedgerFormOptions): Promise<SimulatedLedger> => {
  const options = { seed, out, form, tps: 60, users: 40 };
  await simulateLedger({ ...options, blocks: 12, mix: 'everything' });
  return simulateLedger({ ...options, blocks: 3, mix: RARE });
};

const lackingTypes = async (database: Queryable): Promise<string[]> => {
  const rows = await database.query<{ type: number }>('select distinct type from transaction');
  const present = rows.map(({ type }) => transactionTypeName(type));
  return transactionTypeNames.filter((name) => !IN_NO_STREAM.includes(name) && !present.includes(name));
};

const SEEDS = (process.env.KAGAMI_TWO_STREAMS_SEEDS ?? 'one,two,three').split(',');

describe('a record stream and a block stream of the same ledger', () => {
  it.each(SEEDS)('give the same rows: seed %s', { timeout: 600_000 }, async (seed) => {
    const [recordFolder, blockFolder] = [join(folder, 'records'), join(folder, 'blocks')];
    const records = await simulate(seed, recordFolder, { publishesLedger: true });
    await simulate(seed, blockFolder, { format: 'block' });
    await importFolder(fromRecords, { folder: recordFolder, addressBook: await readFile(records.addressBookFile) });
    await importBlocks(fromBlocks, {
      location: { sourceType: 'FILE', files: { kind: 'folder', path: blockFolder } },
      addressBook: await readFile(records.addressBookFile),
    });
    const found: Record<string, unknown> = {};
    for (const table of await tablesOf(fromRecords.database)) {
      const difference = differences(
        await rowsOf(fromRecords.database, table),
        await rowsOf(fromBlocks.database, table),
      );
      if (difference !== undefined) found[table] = difference;
    }
    expect(found).toEqual({});
    expect(await lackingTypes(fromRecords.database), 'types that this seed lacks').toEqual([]);
  });
});
