/** Folders of blocks, checked and imported from the command line. */
import { mkdtempSync, rmSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { importBlocks } from '../../importer/pipeline/testing/block-run.fixture.ts';
import { defaultImporterSettings } from '../../importer/pipeline/testing/import-run.fixture.ts';
import { tableDigests } from '../../importer/pipeline/testing/table-digests.fixture.ts';
import { type SimulatedLedger, simulateLedger } from '../../simulator/simulate-ledger.ts';
import { TestBlockNode } from '../../sources/testing/block-node.fixture.ts';
import { runCommandLine } from '../command-line.ts';
import { createStyle } from '../terminal/terminal.ts';

const cwd = mkdtempSync(join(tmpdir(), 'kagami-block-folders-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const run = async (...args: string[]): Promise<{ readonly code: number; readonly out: string }> => {
  let out = '';
  const add = (text: string): void => {
    out += text;
  };
  const terminal = { out: add, err: add, interactive: false, columns: 100, style: createStyle(false) };
  const code = await runCommandLine([...args, '--network', 'other'], { cwd, env: {}, terminal });
  return { code, out };
};

interface Checked {
  readonly code: number;
  readonly blocks: Readonly<Record<string, unknown>>;
  readonly faults: readonly { readonly file: string; readonly code: string; readonly message: string }[];
}

const check = async (...args: string[]): Promise<Checked> => {
  const { code, out } = await run('check-stream', ...args, '--json');
  // Warnings come first.
  const { blocks } = JSON.parse(out.slice(out.indexOf('{\n'))) as {
    blocks: Checked['blocks'] & Pick<Checked, 'faults'>;
  };
  return { code, blocks, faults: blocks.faults };
};

const simulate = (name: string, form: NonNullable<Parameters<typeof simulateLedger>[0]['form']>, tps = 5) =>
  simulateLedger({
    out: join(cwd, name),
    seed: 'block folders',
    blocks: 8,
    tps,
    users: 20,
    form: { blockLayout: 'flat', ...form },
  });

/** Files of blocks by number, in a folder of its own that a test may spoil. */
const copyOf = async (ledger: string, name: string): Promise<(number: number) => string> => {
  const from = await blockFolderOf(join(cwd, ledger));
  const to = join(cwd, name);
  await mkdir(to);
  const files = (await readdir(from)).filter((file) => /^\d+\.blk/.test(file));
  await Promise.all(files.map((file) => copyFile(join(from, file), join(to, file))));
  return (number) => join(to, files.find((file) => Number.parseInt(file, 10) === number) as string);
};

const blockFolderOf = async (root: string): Promise<string> => {
  const [file] = (await readdir(root, { recursive: true })).filter((name) => /\d\.blk/.test(name));
  return dirname(join(root, file as string));
};

let ledger: SimulatedLedger;
let last: number;
const blockBytes = (of: SimulatedLedger, number: number): Uint8Array => of.blocks[number]?.blockBytes as Uint8Array;

beforeAll(async () => {
  ledger = await simulate('blocks', { format: 'block' });
  last = ledger.blocks.length - 1;
}, 120_000);

describe('check-stream of blocks', () => {
  it('proves every block, by the ledger id that block 0 publishes', async () => {
    const { code, blocks } = await check(join(cwd, 'blocks'));
    expect(code).toBe(0);
    expect(blocks).toMatchObject({
      blocks: last + 1,
      proven: last + 1,
      wrapped: 0,
      trusted: 0,
      refused: 0,
      brokenLinks: 0,
      missing: 0,
      firstBlock: '0',
      lastBlock: String(last),
      transactions: ledger.blocks.reduce((sum, { count }) => sum + count, 0),
      faults: [],
    });
    expect(blocks.proofs).toEqual({ 'later-block': last, schnorr: 1 });
    expect(blocks.ledgerId).toMatch(/^[0-9a-f]{64}$/);
    const { out } = await run('check-stream', join(cwd, 'blocks'));
    expect(out).toContain('Proven: every block is proven, all hashes are right, the chain is unbroken.');
    expect(out).toContain(`${last} by a later block, 1 by a threshold signature with a Schnorr aggregate`);
  });

  it('names a block that was changed, and goes on behind it', async () => {
    const file = await copyOf('blocks', 'changed');
    const bytes = Uint8Array.from(blockBytes(ledger, 3));
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
    await rm(file(3));
    await writeFile(join(cwd, 'changed', '3.blk'), bytes);
    const { code, blocks, faults } = await check(join(cwd, 'changed'));
    expect(code).toBe(3);
    expect(blocks).toMatchObject({ blocks: last + 1, proven: last, refused: 1, brokenLinks: 0, missing: 0 });
    expect(faults.map(({ file: name }) => name)).toEqual(['3.blk']);
    expect(faults[0]?.code).toMatch(/^STREAM_(BAD_PROOF|MALFORMED|TRUNCATED)$/);
  });

  it('tells blocks of another chain of the same ledger from those that follow', async () => {
    const other = await simulate('other', { format: 'block' }, 6);
    const file = await copyOf('blocks', 'swapped');
    await rm(file(8));
    await writeFile(join(cwd, 'swapped', '8.blk'), blockBytes(other, 8));
    const { code, blocks, faults } = await check(join(cwd, 'swapped'));
    expect(code).toBe(3);
    expect(blocks).toMatchObject({ proven: last + 1, refused: 0, brokenLinks: 2 });
    expect(faults.map(({ file: name, code: reason }) => [name, reason])).toEqual([
      ['8.blk', 'STREAM_CHAIN_BROKEN'],
      ['9.blk.gz', 'STREAM_CHAIN_BROKEN'],
    ]);
    expect(faults[0]?.message).toContain('as root hash of the block before');
  });

  it('names blocks that are missing, that stand in the place of others, and that are none', async () => {
    const file = await copyOf('blocks', 'holes');
    await rm(file(2));
    await copyFile(file(5), file(6));
    await rm(file(7));
    await writeFile(join(cwd, 'holes', '7.blk'), 'no block');
    const { code, blocks, faults } = await check(join(cwd, 'holes'));
    expect(code).toBe(3);
    expect(blocks).toMatchObject({ missing: 1, brokenLinks: 1, refused: 2, proven: last - 2 });
    const messages = faults.map(({ message }) => message);
    expect(messages[0]).toContain('follows block 1');
    expect(messages[1]).toContain('6.blk.gz: the name states block 6, the header block 5');
    expect(messages[2]).toContain('7.blk');
  });

  it('proves nothing without a ledger id, unless that is asked for', async () => {
    const file = await copyOf('blocks', 'later');
    for (const number of [0, 1, 2]) await rm(file(number));
    const refused = await check(join(cwd, 'later'));
    expect(refused.code).toBe(3);
    expect(new Set(refused.faults.map(({ code }) => code))).toEqual(new Set(['STREAM_UNKNOWN_LEDGER']));
    expect(refused.blocks).toMatchObject({ proven: 0, refused: last - 2, ledgerId: null });
    const trusted = await check(join(cwd, 'later'), '--trust-unsigned');
    expect(trusted.blocks).toMatchObject({ proven: 0, trusted: last - 2, refused: 0, brokenLinks: 0 });
    expect(trusted.code).toBe(0);
    const id = `hiero.mirror.importer.block.initialLedgerIdPublication=${join(cwd, 'blocks', 'ledgerIdPublication.bin')}`;
    const proven = await check(join(cwd, 'later'), '--set', id);
    expect(proven.blocks).toMatchObject({ proven: last - 2, refused: 0, firstBlock: '3' });
    expect(proven.code).toBe(0);
  });

  it('reads a block node', async () => {
    const node = await new TestBlockNode({ blocks: ledger.blocks.map((_, i) => blockBytes(ledger, i)) }).start();
    try {
      const { code, blocks } = await check('--block-node', `127.0.0.1:${node.port}`);
      expect(blocks).toMatchObject({ blocks: last + 1, proven: last + 1, missing: 0 });
      expect(code).toBe(0);
    } finally {
      node.kill();
    }
  });

  it('has nothing to say of a folder without any', async () => {
    await mkdir(join(cwd, 'empty'));
    const { code, out } = await run('check-stream', join(cwd, 'empty'), '--block-stream');
    expect(out).toContain('it has no blocks');
    expect(code).toBe(3);
  });
});

describe('check-stream of wrapped record blocks', () => {
  it('proves them by the nodes of the address book', async () => {
    const wrapped = await simulate('wrapped', { format: 'wrapped' });
    const book = ['--address-book', wrapped.addressBookFile];
    const { code, blocks } = await check(join(cwd, 'wrapped'), ...book);
    expect(code).toBe(0);
    const count = wrapped.blocks.length;
    expect(blocks).toMatchObject({ blocks: count, wrapped: count, proven: count, refused: 0, brokenLinks: 0 });
    expect(blocks.proofs).toEqual({ 'record-signatures': count });
    await copyOf('wrapped', 'unknown signers');
    const unknown = await check(join(cwd, 'unknown signers'));
    expect(unknown.code).toBe(3);
    expect(new Set(unknown.faults.map(({ code: reason }) => reason))).toEqual(new Set(['STREAM_UNSIGNED']));
  });
});

describe('a folder with both streams', () => {
  const CUTOVER = 5;
  let both: SimulatedLedger;
  let folder: string;
  const databases: TestDatabase[] = [];
  const newDatabase = async (): Promise<TestDatabase> => {
    const database = await createTestDatabase();
    databases.push(database);
    return database;
  };

  beforeAll(async () => {
    both = await simulate('both', { format: 'cutover', cutoverAt: BigInt(CUTOVER) });
    folder = join(cwd, 'both');
  }, 120_000);
  afterAll(() => Promise.all(databases.map((database) => database.drop())));

  it('is checked in either, and the record files tell the ledger id', async () => {
    const { code, out } = await run('check-stream', folder, '--address-book', both.addressBookFile, '--json');
    expect(JSON.parse(out)).toMatchObject({
      files: CUTOVER,
      proven: CUTOVER,
      refused: 0,
      blocks: { blocks: both.blocks.length, wrapped: CUTOVER, proven: both.blocks.length, brokenLinks: 0 },
    });
    expect(code).toBe(0);
  });

  it('is imported as one ledger: record files before the cutover, blocks from it on', async () => {
    const target = await newDatabase();
    const numbers = (): Promise<{ index: string; version: number }[]> =>
      target.database.query('select index, version from record_file order by index');
    const args = [folder, '--address-book', both.addressBookFile, '--database', target.connectionString];
    const half = await run('import', ...args, '--set', 'hiero.mirror.importer.endBlockNumber=6');
    expect(half.out).toContain(', then ');
    expect(half.code).toBe(0);
    const versionOf = (number: number): number => (number < CUTOVER ? 6 : 7);
    const rowsTo = (end: number) =>
      Array.from({ length: end + 1 }, (_, number) => ({ index: String(number), version: versionOf(number) }));
    expect(await numbers()).toEqual(rowsTo(6));
    expect((await run('import', ...args)).code).toBe(0);
    const end = both.blocks.length - 1;
    expect(await numbers()).toEqual(rowsTo(end));

    const following = await newDatabase();
    const { block } = defaultImporterSettings;
    await importBlocks(following, {
      location: { sourceType: 'FILE', files: { kind: 'folder', path: folder } },
      records: folder,
      addressBook: await readFile(both.addressBookFile),
      follow: true,
      settings: {
        ...defaultImporterSettings,
        endBlockNumber: BigInt(end),
        block: { ...block, cutover: { ...block.cutover, threshold: 300 } },
      },
    });
    expect(await tableDigests(target.database)).toEqual(await tableDigests(following.database));
    // Once more is nothing more.
    const again = await run('import', ...args);
    expect(again.code).toBe(0);
    expect(await numbers()).toEqual(rowsTo(end));
  }, 120_000);

  it('is imported without its blocks where that is said', async () => {
    const target = await newDatabase();
    const args = [folder, '--address-book', both.addressBookFile, '--database', target.connectionString];
    const { code } = await run('import', ...args, '--set', 'hiero.mirror.importer.block.cutover.enabled=false');
    expect(code).toBe(0);
    const [row] = await target.database.query(
      'select count(*)::int as count, max(version) as version from record_file',
    );
    expect(row).toEqual({ count: CUTOVER, version: 6 });
  });
});
