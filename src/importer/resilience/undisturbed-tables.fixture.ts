/** What undisturbed imports make of a ledger of blocks. */
import { readFile } from 'node:fs/promises';
import type { Queryable } from '../../database/connection.ts';
import type { TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { importBlocks } from '../pipeline/testing/block-run.fixture.ts';
import { importFolder } from '../pipeline/testing/import-run.fixture.ts';
import { tableDigests } from '../pipeline/testing/table-digests.fixture.ts';
import type { BlockFaultPlan } from './block-fault-plan.fixture.ts';
import type { BlockLedger } from './block-ledger.fixture.ts';
import { GoodPlaces } from './good-places.fixture.ts';
import { type ResilienceRange, resilienceSettings } from './resilience-settings.fixture.ts';

/** What is in the tables: digests of all, but the rows of those that describe the files and blocks themselves. */
export interface LedgerTables {
  readonly digests: Readonly<Record<string, string>>;
  /** By block number, then by its sidecar files. */
  readonly blocks: readonly string[];
  readonly sidecars: readonly string[];
}

/**
 * The treasury of a ledger that is not there from its beginning is made with the first balance snapshot, and has the
 * transfers from then on: like the snapshots themselves it depends on how fast an import goes.
 */
const ENTITIES = `
  select count(*) || ' ' || md5(string_agg(to_jsonb(t)::text, ',' order by id)) as digest
  from entity t where memo is distinct from 'Mirror node created synthetic treasury account'`;

export const readLedgerTables = async (database: Queryable): Promise<LedgerTables> => {
  const { record_file: _files, sidecar_file: _sidecars, ...others } = await tableDigests(database);
  const [entities] = await database.query<{ digest: string }>(ENTITIES);
  const digests = { ...others, entity: entities?.digest ?? '' };
  const rows = async (table: string, order: string): Promise<string[]> => {
    const found = await database.query<{ row: string }>(
      `select (to_jsonb(t) - 'load_start' - 'load_end')::text as row from ${table} t order by ${order}`,
    );
    return found.map(({ row }) => row);
  };
  return {
    digests,
    blocks: await rows('record_file', 'index'),
    sidecars: await rows('sidecar_file', 'consensus_end, id'),
  };
};

export const rangeOf = (plan: BlockFaultPlan): ResilienceRange => ({
  ...(plan.asksForFirst ? { startBlockNumber: plan.first } : {}),
  ...(plan.ends ? { endBlockNumber: plan.openings.length - 1 } : {}),
  firstStage: plan.firstStage,
});

/**
 * The tables of undisturbed imports from each kind of place that a plan has: they differ in names and sizes of blocks, and
 * a block before a cutover comes from a record file or wrapped.
 */
export const undisturbedTables = async (
  ledger: BlockLedger,
  plan: BlockFaultPlan,
  createDatabase: () => Promise<TestDatabase>,
): Promise<LedgerTables[]> => {
  const places = await GoodPlaces.open(ledger, plan);
  const addressBook = await readFile(ledger.addressBook);
  const settings = resilienceSettings(3, plan.asksForFirst ? { startBlockNumber: plan.first } : {});
  const found: LedgerTables[] = [];
  try {
    for (const location of places.locations) {
      for (const withRecords of plan.format === 'cutover' ? [true, false] : [false]) {
        const target = await createDatabase();
        try {
          if (withRecords) await importFolder(target, { folder: ledger.folder, addressBook, settings });
          await importBlocks(target, {
            location,
            addressBook,
            settings,
            ...(plan.knowsLedger ? { ledgerIdFile: ledger.ledgerIdFile } : {}),
          });
          found.push(await readLedgerTables(target.database));
        } finally {
          await target.drop();
        }
      }
    }
  } finally {
    await places.close();
  }
  return found;
};

/** What tables have that no undisturbed import has; empty when they are those of one. */
export const differencesFrom = (
  undisturbed: readonly LedgerTables[],
  { digests, blocks, sidecars }: LedgerTables,
): readonly string[] => {
  const [first] = undisturbed;
  if (first === undefined) throw new TypeError('there is nothing to compare with');
  const strangers = (rows: readonly string[], of: 'blocks' | 'sidecars'): string[] => {
    const known = new Set(undisturbed.flatMap((tables) => tables[of]));
    return rows.filter((row) => !known.has(row)).map((row) => `a row of nobody else: ${row}`);
  };
  return [
    ...Object.keys(first.digests)
      .filter((table) => digests[table] !== first.digests[table])
      .map((table) => `${table}: ${digests[table]} instead of ${first.digests[table]}`),
    ...(blocks.length === first.blocks.length ? [] : [`${blocks.length} blocks instead of ${first.blocks.length}`]),
    ...(sidecars.length === first.sidecars.length
      ? []
      : [`${sidecars.length} sidecar files instead of ${first.sidecars.length}`]),
    ...strangers(blocks, 'blocks'),
    ...strangers(sidecars, 'sidecars'),
  ];
};
