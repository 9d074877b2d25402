import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireWriter } from '../../database/fencing.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { type SimulatedLedger, simulateLedger } from '../../simulator/simulate-ledger.ts';
import { FolderSource } from '../../sources/folder-source.ts';
import { parseAddressBook } from '../../streams/address-book.ts';
import { runImporter } from '../pipeline/importer.ts';
import { defaultImporterSettings, importFolder } from '../pipeline/testing/import-run.fixture.ts';
import { tableDigests } from '../pipeline/testing/table-digests.fixture.ts';

/** End of the last block before HAPI 0.27. */
const BEFORE_STAKING = 1_658_419_200_981_687_000n;
const DAY = 86_400_000_000_000n;
const BLOCK_INTERVAL = 2_000_000_000n;
/** When activity begins, so that the block of the last early day is the last one before HAPI 0.27. */
const DAY_AFTER = BEFORE_STAKING - BLOCK_INTERVAL + DAY;

let folder: string;
let target: TestDatabase;
let other: TestDatabase;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kagami-repairs-'));
  [target, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
});
afterEach(async () => {
  await Promise.all([target.drop(), other.drop()]);
  await rm(folder, { recursive: true, force: true });
});

const simulate = (start: bigint): Promise<SimulatedLedger> =>
  simulateLedger({ out: join(folder, 'ledger'), seed: 'repairs', blocks: 20, tps: 5, users: 20, start });

const importAs = async (network: string, into: TestDatabase, ledger: SimulatedLedger): Promise<void> =>
  importFolder(into, {
    folder: join(folder, 'ledger'),
    addressBook: await readFile(ledger.addressBookFile),
    settings: { ...defaultImporterSettings, network },
  });

const counted = async (database: TestDatabase, what: string): Promise<number> => {
  const [row] = await database.database.query<{ count: number }>(`select count(*)::integer as count from ${what}`);
  return row?.count ?? 0;
};

/** Versions of accounts from before then, current or past, that stake to a node. */
const EARLY_STAKES = `(select * from entity union all select * from entity_history) version
  where staked_node_id <> -1 and lower(timestamp_range) <= ${BEFORE_STAKING}`;
/** What activity changed since made them past. */
const PAST_EARLY_STAKES = `entity_history where staked_node_id <> -1 and lower(timestamp_range) <= ${BEFORE_STAKING}`;

describe('an import of mainnet', () => {
  it('repairs what it passes and goes on', async () => {
    const ledger = await simulate(DAY_AFTER);
    await importAs('other', other, ledger);
    await importAs('mainnet', target, ledger);
    expect(await counted(target, 'record_file')).toBe(ledger.blocks.length);
    expect(await counted(other, PAST_EARLY_STAKES)).toBeGreaterThan(0);
    expect(await counted(other, EARLY_STAKES)).toBeGreaterThan(await counted(other, PAST_EARLY_STAKES));
    expect(await counted(target, EARLY_STAKES)).toBe(0);
    expect(await counted(target, "kagami.repair where name = 'early-staking' and changes > 0")).toBe(1);
    // The ledger begins in 2022: of the missing transactions those of that year and the next are added.
    expect(await counted(target, "transaction where errata = 'INSERT'")).toBe(70 + 12);
  });

  it('that follows the stream goes on after a repair, too', async () => {
    const ledger = await simulate(DAY_AFTER);
    const lease = await acquireWriter({ connectionString: target.connectionString });
    const source = new FolderSource(join(folder, 'ledger'), { watch: true });
    const stop = new AbortController();
    try {
      await runImporter({
        database: target.database,
        lease,
        source,
        settings: { ...defaultImporterSettings, network: 'mainnet' },
        network: { shard: 0n, realm: 0n },
        follow: true,
        initialAddressBook: parseAddressBook(await readFile(ledger.addressBookFile)),
        signal: stop.signal,
        events: {
          committed: ({ blockNumber }) => {
            if (blockNumber === BigInt(ledger.blocks.length - 1)) stop.abort();
          },
        },
      });
    } finally {
      source.close();
      await lease.release();
    }
    expect(await counted(target, 'record_file')).toBe(ledger.blocks.length);
    expect(await counted(target, "transaction where errata = 'INSERT'")).toBe(70 + 12);
  });

  it('of a time without faults is like any other', async () => {
    const ledger = await simulate(1_750_000_000_000_000_000n);
    await importAs('mainnet', target, ledger);
    await importAs('other', other, ledger);
    expect(await tableDigests(target.database)).toEqual(await tableDigests(other.database));
    expect(await counted(target, 'record_file')).toBe(ledger.blocks.length);
    expect(await counted(target, 'kagami.repair where changes = 0')).toBe(8);
    expect(await counted(other, 'kagami.repair')).toBe(0);
  });

  it('adds missing transactions before the first block', async () => {
    // A folder without files: the import ends where it looks for the first.
    await expect(
      importFolder(target, {
        folder,
        trustUnsigned: true,
        settings: { ...defaultImporterSettings, network: 'mainnet', startDate: '2019-09-13T00:00:00Z' },
      }),
    ).rejects.toMatchObject({ code: 'SOURCE_EMPTY' });
    expect(await counted(target, 'record_file')).toBe(0);
    expect(await counted(target, "transaction where errata = 'INSERT'")).toBe(113);
  });
});
