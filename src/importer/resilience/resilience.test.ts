/**
 * Imports under faults that follow from a seed. KAGAMI_SEEDS takes others than those of every test run: `17`, `1-200` or
 * both, `3,10-20`; KAGAMI_FAULTS how many faults of database and processes each has.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../database/connection.ts';
import { type SimulatedLedger, simulateLedger } from '../../simulator/simulate-ledger.ts';
import { importFolder } from '../pipeline/testing/import-run.fixture.ts';
import { tableDigests } from '../pipeline/testing/table-digests.fixture.ts';
import { type FaultPlan, planFaults } from './fault-plan.fixture.ts';
import { type FaultySource, importUnderFaults } from './faulty-import.fixture.ts';
import { createScratchFolder, FaultyServer } from './faulty-server.fixture.ts';
import { FaultyStream, FinishedLedger } from './faulty-stream.fixture.ts';
import { resilienceSettings } from './resilience-settings.fixture.ts';
import { seedsOf } from './seeds.fixture.ts';

const { KAGAMI_SEEDS = '1-10', KAGAMI_FAULTS = '5' } = process.env;
const BLOCKS = 50;
const NODES = 7;
/** Fewer than a third of all, by number and by stake. */
const LIARS = [2, 5];
const LONGEST_MS = 90_000;
const seeds = seedsOf(KAGAMI_SEEDS);

let folder: string;
let server: FaultyServer;
let simulated: SimulatedLedger;
let ledger: FinishedLedger;
let undisturbed: Record<string, string>;
const reasons = new Map<string, number>();

beforeAll(async () => {
  folder = createScratchFolder();
  [simulated, server] = await Promise.all([
    simulateLedger({
      out: join(folder, 'ledger'),
      seed: 'resilience',
      blocks: BLOCKS,
      tps: 8,
      users: 40,
      nodes: NODES,
    }),
    FaultyServer.start(folder),
  ]);
  if (!server.canFill) process.stdout.write('The disk is never full: that needs the right to mount a file system\n');
  ledger = new FinishedLedger(join(folder, 'ledger'));
  await server.createDatabase('undisturbed');
  const connectionString = server.connectionString('undisturbed');
  const database = openDatabase({ connectionString, max: 3 });
  await importFolder(
    { connectionString, database, drop: () => database.close() },
    {
      folder: ledger.folder,
      addressBook: await readFile(simulated.addressBookFile),
      settings: resilienceSettings(1),
    },
  );
  undisturbed = await tableDigests(database);
  await database.close();
}, 180_000);

afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
  if (process.env.KAGAMI_SEEDS !== undefined) {
    process.stdout.write(
      `Reasons that importers gave:\n${[...reasons]
        .map(([r, n]) => `  ${n} ${r}\n`)
        .sort()
        .join('')}`,
    );
  }
});

const sourceOf = (plan: FaultPlan): FaultySource => {
  const out = join(folder, 'streams', `${plan.seed}`);
  const stream = new FaultyStream(ledger, plan, out);
  return {
    blocks: ledger.bases.length,
    task: { folder: out, addressBook: simulated.addressBookFile },
    advance: (blocks) => stream.advance(blocks),
    catchUp: async (target, maxFiles) => {
      let further = 0;
      await importFolder(target, {
        folder: ledger.folder,
        addressBook: await readFile(simulated.addressBookFile),
        settings: resilienceSettings(maxFiles),
        committed: ({ blocks }) => {
          further += blocks;
        },
      });
      return further;
    },
    stop: async () => {
      stream.stop();
      await rm(out, { recursive: true, force: true });
    },
  };
};

describe('an importer under faults', () => {
  it.each(seeds)(
    'reaches the database of an undisturbed import, seed %i',
    async (seed) => {
      const plan = planFaults({
        seed,
        blocks: ledger.bases.length,
        nodes: NODES,
        liars: LIARS,
        faults: Number(KAGAMI_FAULTS),
      });
      const {
        problems,
        found,
        reasons: given,
      } = await importUnderFaults(plan, {
        server,
        source: sourceOf(plan),
        find: tableDigests,
        compileCache: join(folder, 'compiled'),
        longestMs: LONGEST_MS,
      });
      for (const [reason, count] of given) reasons.set(reason, (reasons.get(reason) ?? 0) + count);
      const repeat = `KAGAMI_SEEDS=${seed} KAGAMI_FAULTS=${KAGAMI_FAULTS} npx vitest run src/importer/resilience/resilience.test.ts`;
      expect(problems, `${JSON.stringify(plan.faults)}\nrepeat: ${repeat}`).toEqual([]);
      expect(found, `repeat: ${repeat}`).toEqual(undisturbed);
    },
    150_000,
  );
});
