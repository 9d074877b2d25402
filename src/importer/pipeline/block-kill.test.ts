import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { type SimulatedLedger, simulateLedger } from '../../simulator/simulate-ledger.ts';
import { TestBlockNode } from '../../sources/testing/block-node.fixture.ts';
import { importBlocks } from './testing/block-run.fixture.ts';
import { defaultImporterSettings } from './testing/import-run.fixture.ts';
import { tableDigests } from './testing/table-digests.fixture.ts';

const KILLS = 12;
const child = fileURLToPath(new URL('./testing/block-import-process.fixture.ts', import.meta.url));

const randomFrom = (seed: number) => (): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

let folder: string;
const databases: TestDatabase[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kagami-block-kill-'));
});
afterAll(async () => {
  await Promise.all(databases.map((database) => database.drop()));
  await rm(folder, { recursive: true, force: true });
});

const newDatabase = async (): Promise<TestDatabase> => {
  const database = await createTestDatabase();
  databases.push(database);
  return database;
};

/** Gives whether the import came to its end before it was killed. */
const importInChild = async (
  args: readonly string[],
  kill?: { readonly commits: number; readonly delayMs: number },
): Promise<boolean> => {
  const importer = spawn(process.execPath, [child, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') },
  });
  const exited = once(importer, 'exit');
  let output = '';
  importer.stdout.setEncoding('utf8').on('data', (text: string) => {
    const before = output.split('committed').length;
    output += text;
    const after = output.split('committed').length;
    if (kill !== undefined && before <= kill.commits && after > kill.commits) {
      setTimeout(() => importer.kill('SIGKILL'), kill.delayMs);
    }
  });
  await exited;
  return output.includes('done');
};

const numbersIn = async ({ database }: TestDatabase): Promise<number[]> => {
  const rows = await database.query<{ index: string }>('select index from record_file order by consensus_end');
  return rows.map(({ index }) => Number(index));
};

const upTo = (last: number): number[] => Array.from({ length: last + 1 }, (_, i) => i);

/** Kills at random moments until `KILLS`, then to the end. */
const importWithKills = async (seed: number, args: readonly string[]): Promise<void> => {
  const random = randomFrom(seed);
  for (let kill = 0; kill < KILLS; kill++) {
    if (await importInChild(args, { commits: 1 + Math.floor(random() * 3), delayMs: random() * 12 })) break;
  }
  expect(await importInChild(args)).toBe(true);
};

describe('an import that is killed', () => {
  it('has the blocks of a node once each, and their rows', async () => {
    const out = join(folder, 'blocks');
    const ledger = await simulateLedger({
      out,
      seed: 'kill',
      blocks: 40,
      tps: 10,
      users: 30,
      form: { format: 'block' },
    });
    const blocks = ledger.blocks.map(({ blockBytes }) => blockBytes as Uint8Array);
    const last = blocks.length - 1;
    const node = await new TestBlockNode({ blocks }).start();
    try {
      const undisturbed = await newDatabase();
      const disturbed = await newDatabase();
      const location = { sourceType: 'BLOCK_NODE' as const, nodes: [node.address()] };
      await importBlocks(undisturbed, { location });
      await importWithKills(1, [disturbed.connectionString, out, String(node.port), String(last)]);
      expect(await numbersIn(disturbed)).toEqual(upTo(last));
      expect(await tableDigests(disturbed.database)).toEqual(await tableDigests(undisturbed.database));
    } finally {
      node.kill();
    }
  }, 600_000);
});

describe('an import that is killed around the cutover', () => {
  let ledger: SimulatedLedger;
  const cutoverAt = 12;

  it('has every block once: record files before it, blocks from it on', async () => {
    const out = join(folder, 'cutover');
    ledger = await simulateLedger({
      out,
      seed: 'cutover',
      blocks: 24,
      tps: 10,
      users: 30,
      form: { format: 'cutover', cutoverAt: BigInt(cutoverAt) },
    });
    const last = ledger.blocks.length - 1;
    const undisturbed = await newDatabase();
    const disturbed = await newDatabase();
    const { block } = defaultImporterSettings;
    await importBlocks(undisturbed, {
      location: { sourceType: 'FILE', files: { kind: 'folder', path: out } },
      records: out,
      addressBook: await readFile(ledger.addressBookFile),
      follow: true,
      settings: {
        ...defaultImporterSettings,
        endBlockNumber: BigInt(last),
        block: { ...block, cutover: { ...block.cutover, threshold: 300 } },
      },
    });
    const args = [disturbed.connectionString, out, '0', String(last), ledger.addressBookFile, out];
    await importWithKills(2, args);
    for (const database of [undisturbed, disturbed]) {
      expect(await numbersIn(database)).toEqual(upTo(last));
      const versions = await database.database.query<{ index: string; version: number }>(
        'select index, version from record_file order by index',
      );
      expect(versions.map(({ version }) => version)).toEqual(upTo(last).map((number) => (number < cutoverAt ? 6 : 7)));
      const [first] = await database.database.query(
        `select f.prev_hash = before.hash as follows, f.previous_wrapped_record_block_hash is not null as wrapped
         from record_file f join record_file before on before.index = f.index - 1 where f.index = $1`,
        [cutoverAt],
      );
      expect(first).toEqual({ follows: true, wrapped: true });
    }
    expect(await tableDigests(disturbed.database)).toEqual(await tableDigests(undisturbed.database));
  }, 600_000);
});
