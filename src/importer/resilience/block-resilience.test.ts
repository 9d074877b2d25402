/**
 * Imports of blocks under faults that follow from a seed. KAGAMI_BLOCK_SEEDS takes others than those of every test run:
 * `17`, `1-100` or both, `3,10-20`; KAGAMI_FAULTS how many faults of database and processes each has.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type S3Proxy, startS3Proxy } from '../../sources/testing/s3-proxy.fixture.ts';
import { type S3TestServer, serverKeys, startS3Server } from '../../sources/testing/s3-server.fixture.ts';
import { planBlockFaults } from './block-fault-plan.fixture.ts';
import { type LedgerSize, simulateBlockLedger } from './block-ledger.fixture.ts';
import { BUCKET } from './faulty-block-files.fixture.ts';
import { openFaultyBlocks } from './faulty-block-source.fixture.ts';
import { createDatabase } from './faulty-database.fixture.ts';
import { importUnderFaults } from './faulty-import.fixture.ts';
import { createScratchFolder, FaultyServer } from './faulty-server.fixture.ts';
import { seedsOf } from './seeds.fixture.ts';
import { differencesFrom, readLedgerTables, undisturbedTables } from './undisturbed-tables.fixture.ts';

const { KAGAMI_BLOCK_SEEDS = '1-6', KAGAMI_FAULTS = '4' } = process.env;
/** Every transaction type is in what a ledger begins with. */
const SIZE: LedgerSize = { blocks: 10, tps: 6, users: 25, nodes: 7, mix: 'everything' };
const BLOCKS_BEFORE_ACTIVITY = 5;
/** Fewer than a third of all, by number and by stake. */
const LIARS = [2, 5];
const LONGEST_MS = 120_000;

let folder: string;
let server: FaultyServer;
let bucketServer: S3TestServer;
let bucketProxy: S3Proxy;
let others: readonly Uint8Array[];
const reasons = new Map<string, number>();

beforeAll(async () => {
  folder = createScratchFolder();
  [server, bucketServer] = await Promise.all([FaultyServer.start(folder), startS3Server([BUCKET])]);
  bucketProxy = await startS3Proxy(bucketServer.port, serverKeys.secretKey);
  const other = { format: 'cutover', ledger: 'another', cutoverAt: 12 } as const;
  ({ blocks: others } = await simulateBlockLedger(join(folder, 'another'), other, SIZE));
}, 180_000);

afterAll(async () => {
  await bucketProxy?.stop();
  await bucketServer?.stop();
  await server?.close();
  await rm(folder, { recursive: true, force: true });
  if (process.env.KAGAMI_BLOCK_SEEDS !== undefined) {
    const lines = [...reasons].map(([reason, count]) => `  ${count} ${reason}\n`).sort();
    process.stdout.write(`Reasons that importers gave:\n${lines.join('')}`);
  }
});

describe('an import of blocks under faults', () => {
  it.each(seedsOf(KAGAMI_BLOCK_SEEDS))(
    'reaches the tables of an undisturbed import, seed %i',
    async (seed) => {
      const plan = planBlockFaults({
        seed,
        blocks: SIZE.blocks + BLOCKS_BEFORE_ACTIVITY,
        recordNodes: SIZE.nodes,
        liars: LIARS,
        faults: Number(KAGAMI_FAULTS),
      });
      const scratch = join(folder, `seed-${seed}`);
      await mkdir(scratch);
      const ledger = await simulateBlockLedger(join(scratch, 'ledger'), plan, SIZE);
      expect(ledger.blocks).toHaveLength(plan.openings.length);
      const undisturbed = await undisturbedTables(ledger, plan, () => createDatabase(server));
      for (const { digests } of undisturbed) expect(digests).toEqual(undisturbed[0]?.digests);
      const bucket = { server: bucketServer, proxy: bucketProxy };
      const outcome = await importUnderFaults(plan, {
        server,
        source: await openFaultyBlocks({ plan, ledger, others, folder: scratch, bucket }),
        find: readLedgerTables,
        compileCache: join(folder, 'compiled'),
        longestMs: LONGEST_MS,
      });
      for (const [reason, count] of outcome.reasons) reasons.set(reason, (reasons.get(reason) ?? 0) + count);
      const repeat = `KAGAMI_BLOCK_SEEDS=${seed} KAGAMI_FAULTS=${KAGAMI_FAULTS} npx vitest run src/importer/resilience/block-resilience.test.ts`;
      const { format, sourceType, files, nodes, faults, troubles } = plan;
      const about = JSON.stringify({ format, sourceType, files, nodes, faults, troubles });
      expect(outcome.problems, `${about}\nrepeat: ${repeat}`).toEqual([]);
      const differences =
        outcome.found === undefined ? ['nothing was found'] : differencesFrom(undisturbed, outcome.found);
      expect(differences, `${about}\nrepeat: ${repeat}`).toEqual([]);
    },
    LONGEST_MS + 60_000,
  );
});
