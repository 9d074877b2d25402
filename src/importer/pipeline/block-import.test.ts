import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { blockBytes } from '../../simulator/blocks/item-bytes.ts';
import { type SimulatedLedger, simulateLedger } from '../../simulator/simulate-ledger.ts';
import { type BlockFault, TestBlockNode } from '../../sources/testing/block-node.fixture.ts';
import { type BlockItem, BlockItemField } from '../../streams/block/block.ts';
import { readBlock } from '../../streams/block/read-block.ts';
import { type BlockRun, importBlocks } from './testing/block-run.fixture.ts';
import { defaultImporterSettings } from './testing/import-run.fixture.ts';
import { tableDigests } from './testing/table-digests.fixture.ts';

const BLOCKS = 25;

let folder: string;
let ledger: SimulatedLedger;
let undisturbed: TestDatabase;
let target: TestDatabase;
let blocks: Uint8Array[];

const files = (): BlockRun['location'] => ({ sourceType: 'FILE', files: { kind: 'folder', path: folder } });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kagami-block-import-'));
  const options = { out: folder, seed: 'blocks', blocks: BLOCKS, tps: 10, users: 40, mix: 'everything' };
  ledger = await simulateLedger({ ...options, form: { format: 'block' } });
  blocks = ledger.blocks.map(({ blockBytes }) => blockBytes as Uint8Array);
  undisturbed = await createTestDatabase();
  await importBlocks(undisturbed, { location: files() });
}, 300_000);

afterAll(async () => {
  await undisturbed?.drop();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  target = await createTestDatabase();
});
const nodes: TestBlockNode[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) node.kill();
  await target.drop();
});

const start = async (node: TestBlockNode): Promise<TestBlockNode> => {
  nodes.push(node);
  return node.start();
};

/** For an import that does not begin with block 0, which publishes it. */
const ledgerIdFile = (): string => join(folder, 'ledgerIdPublication.bin');

const numbersIn = async ({ database }: TestDatabase): Promise<number[]> => {
  const rows = await database.query<{ index: string }>('select index from record_file order by consensus_end');
  return rows.map(({ index }) => Number(index));
};

/** Names and sizes of files are theirs, not the ledger's. */
const digestsOf = async ({ database }: TestDatabase): Promise<unknown> => {
  const { record_file: _, ...tables } = await tableDigests(database);
  const rows = await database.query(
    `select to_jsonb(f) - '{load_start,load_end,name,size}'::text[] as block from record_file f order by index`,
  );
  return { ...tables, rows };
};

const upTo = (last: number): number[] => Array.from({ length: last + 1 }, (_, i) => i);
const last = (): number => ledger.blocks.length - 1;

describe('an import of blocks', () => {
  it('brings every transaction of a folder, in blocks of version 7 that are linked', async () => {
    expect(await numbersIn(undisturbed)).toEqual(upTo(last()));
    const [row] = await undisturbed.database.query(
      `select count(*)::int as unlinked from (select prev_hash, lag(hash) over (order by index) as before from record_file) f
       where before is not null and prev_hash <> before`,
    );
    expect(row).toEqual({ unlinked: 0 });
    expect(await undisturbed.database.query('select distinct version from record_file')).toEqual([{ version: 7 }]);
    const [{ transactions } = { transactions: 0 }] = await undisturbed.database.query<{ transactions: number }>(
      'select count(*)::int as transactions from transaction',
    );
    expect(transactions).toBe(ledger.blocks.reduce((sum, block) => sum + block.count, 0));
  });

  it('brings the same from a block node', async () => {
    const node = await start(new TestBlockNode({ blocks }));
    await importBlocks(target, { location: { sourceType: 'BLOCK_NODE', nodes: [node.address()] } });
    expect(await digestsOf(target)).toEqual(await digestsOf(undisturbed));
  });

  it('begins and ends with the blocks that are wanted, and goes on from there', async () => {
    const settings = { ...defaultImporterSettings, startBlockNumber: 3n, endBlockNumber: 7n };
    const location = files();
    await importBlocks(target, { location, settings, ledgerIdFile: ledgerIdFile() });
    expect(await numbersIn(target)).toEqual([3, 4, 5, 6, 7]);
    await importBlocks(target, {
      location,
      settings: { ...settings, endBlockNumber: 9n },
      ledgerIdFile: ledgerIdFile(),
    });
    expect(await numbersIn(target)).toEqual([3, 4, 5, 6, 7, 8, 9]);
  });

  it('holds the tree of all blocks against the next one, also after a restart', async () => {
    const settings = { ...defaultImporterSettings, endBlockNumber: 6n };
    await importBlocks(target, { location: files(), settings });
    const kept = await target.database.query(
      'select index::int, array_length(tree, 1) as subtrees from kagami.block_chain',
    );
    // The hashes of blocks 0 to 5: a subtree of four and one of two.
    expect(kept).toEqual([{ index: 6, subtrees: 2 }]);

    const forged = blocks.map((bytes) => Uint8Array.from(bytes));
    const stated = readBlock('block 7', forged[7] as Uint8Array).footer.allPreviousRootsHash;
    stated[0] = (stated[0] as number) ^ 1;
    const liar = await start(new TestBlockNode({ blocks: forged }));
    const lied = importBlocks(target, { location: { nodes: [liar.address()] }, ledgerIdFile: ledgerIdFile() });
    await expect(lied).rejects.toMatchObject({
      code: 'STREAM_CHAIN_BROKEN',
      message: expect.stringMatching(/block 7: names [0-9a-f]{96} as root of all blocks before it, which have/),
    });
    await importBlocks(target, { location: files() });
    expect(await digestsOf(target)).toEqual(await digestsOf(undisturbed));
  });

  it('goes on in a database that does not keep the tree', async () => {
    const settings = { ...defaultImporterSettings, endBlockNumber: 6n };
    await importBlocks(target, { location: files(), settings });
    await target.database.query('delete from kagami.block_chain');
    await importBlocks(target, { location: files() });
    expect(await digestsOf(target)).toEqual(await digestsOf(undisturbed));
  });

  it('believes in no ledger but the one that is known, or that block 0 publishes', async () => {
    // Later blocks of this ledger publish its id again.
    const node = await start(new TestBlockNode({ blocks: blocks.slice(5), first: 5n }));
    await expect(importBlocks(target, { location: { nodes: [node.address()] } })).rejects.toMatchObject({
      code: 'STREAM_UNKNOWN_LEDGER',
    });
    expect(await numbersIn(target)).toEqual([]);
  });

  it('begins with the earliest block that a node offers', async () => {
    const node = await start(new TestBlockNode({ blocks: blocks.slice(5), first: 5n }));
    await importBlocks(target, { location: { nodes: [node.address()] }, ledgerIdFile: ledgerIdFile() });
    expect(await numbersIn(target)).toEqual(upTo(last()).slice(5));
  });

  it('refuses a folder that begins after the first block that is wanted', async () => {
    const node = await start(new TestBlockNode({ blocks: blocks.slice(5), first: 5n }));
    const settings = { ...defaultImporterSettings, startBlockNumber: 3n };
    await expect(importBlocks(target, { location: { nodes: [node.address()] }, settings })).rejects.toMatchObject({
      code: 'SOURCE_BLOCK_MISSING',
    });
  });

  it('follows a node, and ends with the last block that is wanted', async () => {
    const node = await start(new TestBlockNode({ blocks: blocks.slice(0, 4) }));
    const settings = { ...defaultImporterSettings, endBlockNumber: BigInt(last()) };
    const importing = importBlocks(target, { location: { nodes: [node.address()] }, settings, follow: true });
    for (const block of blocks.slice(4)) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      node.add(block);
    }
    await importing;
    expect(await digestsOf(target)).toEqual(await digestsOf(undisturbed));
  });

  it('takes what a node that lies does not give from another one', async () => {
    const liar = await start(new TestBlockNode({ blocks }));
    const changed = Uint8Array.from(blocks[6] as Uint8Array);
    changed[changed.length >> 1] = (changed[changed.length >> 1] as number) ^ 1;
    liar.faults.set(6n, { kind: 'replace', bytes: changed });
    const honest = await start(new TestBlockNode({ blocks }));
    const settings = { ...defaultImporterSettings, endBlockNumber: BigInt(last()) };
    const location = { nodes: [liar.address(0), honest.address(1)] };
    await importBlocks(target, { location, settings, follow: true });
    expect(liar.subscriptions).toEqual([0n]);
    expect(honest.subscriptions).toEqual([6n]);
    expect(await digestsOf(target)).toEqual(await digestsOf(undisturbed));
  });

  it('takes a block whose items stand in another order, which its root hash does not tell, from another node', async () => {
    const reordered = [...readBlock('block 6', blocks[6] as Uint8Array).items];
    const at = reordered.findIndex(({ field }) => field === BlockItemField.transactionResult);
    const result = reordered[at] as BlockItem;
    const next = reordered.findIndex(({ field }, i) => i > at && field === BlockItemField.signedTransaction);
    reordered.splice(next + 1, 0, result);
    reordered.splice(at, 1);
    const liar = await start(new TestBlockNode({ blocks }));
    liar.faults.set(6n, { kind: 'replace', bytes: blockBytes(reordered) });
    const honest = await start(new TestBlockNode({ blocks }));
    const settings = { ...defaultImporterSettings, endBlockNumber: BigInt(last()) };
    const location = { nodes: [liar.address(0), honest.address(1)] };
    await importBlocks(target, { location, settings, follow: true });
    expect(honest.subscriptions).toEqual([6n]);
    expect(await digestsOf(target)).toEqual(await digestsOf(undisturbed));
  });

  it('ends with the tables of an undisturbed one whatever nodes do, however often it is ended', async () => {
    const kinds: readonly BlockFault['kind'][] = [
      'die',
      'error',
      'repeat',
      'restart',
      'reorder',
      'hole',
      'garbage',
      'success',
    ];
    let state = 7;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const both = await Promise.all([0, 1].map(() => start(new TestBlockNode({ blocks, setBytes: 5_000 }))));
    for (const node of both) {
      for (let i = 0; i < 8; i++) {
        node.faults.set(BigInt(random(blocks.length)), { kind: kinds[random(kinds.length)] as 'die', once: true });
      }
    }
    const settings = { ...defaultImporterSettings, endBlockNumber: BigInt(last()) };
    const location = { nodes: both.map((node, i) => node.address(i)) };
    for (let run = 0; run < 5; run++) {
      const stop = new AbortController();
      let left = 1 + random(5);
      const committed = (): void => {
        if (--left === 0) stop.abort();
      };
      await importBlocks(target, { location, settings, follow: true, signal: stop.signal, events: { committed } });
    }
    await importBlocks(target, { location, settings, follow: true });
    expect(await digestsOf(target)).toEqual(await digestsOf(undisturbed));
  }, 120_000);
});

describe('an import of wrapped record blocks', () => {
  it('brings the record files, proven by the nodes of the address book, and goes on behind them', async () => {
    const out = join(folder, 'wrapped');
    const wrapped = await simulateLedger({
      out,
      seed: 'wrapped',
      blocks: 12,
      tps: 10,
      users: 30,
      mix: 'everything',
      form: { format: 'wrapped' },
    });
    const count = wrapped.blocks.length;
    const run = {
      location: { sourceType: 'FILE', files: { kind: 'folder', path: out } },
      addressBook: await readFile(wrapped.addressBookFile),
    } as const;
    await importBlocks(target, { ...run, settings: { ...defaultImporterSettings, endBlockNumber: 5n } });
    await importBlocks(target, run);
    const rows = await target.database.query<{ index: string; hash: string }>(
      `select index, hash, version, prev_hash = lag(hash, 1, prev_hash) over (order by index) as linked,
              wrapped_record_block_hash is not null as wrapped,
              previous_wrapped_record_block_hash = lag(wrapped_record_block_hash, 1, previous_wrapped_record_block_hash)
                over (order by index) as "wrappedLinked"
       from record_file order by index`,
    );
    const expected = { version: 6, linked: true, wrapped: true, wrappedLinked: true };
    expect(rows).toEqual(wrapped.blocks.map(({ hash }, i) => ({ index: String(i), hash, ...expected })));
    expect(rows).toHaveLength(count);
    const [stored] = await target.database.query('select count(*)::int as count from transaction');
    expect(stored).toEqual({ count: wrapped.blocks.reduce((sum, block) => sum + block.count, 0) });
  });
});
