/** Nodes that change what nobody signed of wrapped record blocks. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { type SimulatedLedger, simulateLedger } from '../../simulator/simulate-ledger.ts';
import { TestBlockNode, type TestBlockNodeOptions } from '../../sources/testing/block-node.fixture.ts';
import { EMPTY_HASH, HashTree, TreeHasher } from '../../streams/block/hash-tree.ts';
import { readBlock } from '../../streams/block/read-block.ts';
import { blockRoots } from '../../streams/block/root-hash.ts';
import { withAmendment } from './testing/amended-block.fixture.ts';
import { type BlockRun, importBlocks } from './testing/block-run.fixture.ts';
import { defaultImporterSettings } from './testing/import-run.fixture.ts';
import { tableDigests } from './testing/table-digests.fixture.ts';

const BLOCKS = 8;
/** Of those before the activity, all blocks but the last two are wrapped. */
const CUTOVER_AT = 9;
const ALTERED = 4;

let folder: string;
let ledger: SimulatedLedger;
let run: Pick<BlockRun, 'addressBook' | 'ledgerIdFile'>;
let blocks: readonly Uint8Array[];
let undisturbed: unknown;
let target: TestDatabase;
const nodes: TestBlockNode[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kagami-altered-'));
  const options = { out: folder, seed: 'altered', blocks: BLOCKS, tps: 5, users: 10, mix: 'everything' };
  ledger = await simulateLedger({ ...options, form: { format: 'cutover', cutoverAt: BigInt(CUTOVER_AT) } });
  run = {
    addressBook: await readFile(ledger.addressBookFile),
    ledgerIdFile: join(folder, 'ledgerIdPublication.bin'),
  };
  blocks = ledger.blocks.map(({ blockBytes }) => blockBytes as Uint8Array);
  target = await createTestDatabase();
  await importBlocks(target, { ...run, location: { nodes: [(await start({ blocks })).address()] } });
  undisturbed = await digestsOf();
  await target.drop();
}, 300_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

beforeEach(async () => {
  target = await createTestDatabase();
});

afterEach(async () => {
  for (const node of nodes.splice(0)) node.kill();
  await target.drop();
});

const start = (options: TestBlockNodeOptions): Promise<TestBlockNode> => {
  const node = new TestBlockNode(options);
  nodes.push(node);
  return node.start();
};

/** Rows of blocks tell of sizes and times of reading. */
const digestsOf = async (): Promise<unknown> => {
  const { record_file: _, ...tables } = await tableDigests(target.database);
  const rows = await target.database.query(
    `select to_jsonb(f) - '{load_start,load_end}'::text[] as block from record_file f order by index`,
  );
  return { ...tables, rows };
};

const last = (): number => blocks.length - 1;
const settingsUpTo = (end: number): NonNullable<BlockRun['settings']> => ({
  ...defaultImporterSettings,
  endBlockNumber: BigInt(end),
});

/** A block whose header states a time that is 1 ns off: the root hash is another, what its nodes signed is not. */
const altered = (block: Uint8Array): Uint8Array => {
  const copy = Uint8Array.from(block);
  const { timestampBytes } = readBlock('block', copy);
  timestampBytes[timestampBytes.length - 1] = (timestampBytes.at(-1) as number) ^ 1;
  return copy;
};

const rootOf = (block: Uint8Array): Uint8Array => blockRoots(readBlock('block', block))[0]?.hash as Uint8Array;

const naming = (block: Uint8Array, previousRoot: Uint8Array): Uint8Array => {
  const copy = Uint8Array.from(block);
  readBlock('block', copy).footer.previousRootHash.set(previousRoot);
  return copy;
};

/** The blocks with one altered, and those behind it up to `until` naming what the ones before have now. */
const alteredFrom = (first: number, until = first, alter = altered): Uint8Array[] => {
  const changed = [...blocks];
  changed[first] = alter(blocks[first] as Uint8Array);
  const tree = new HashTree(new TreeHasher());
  for (let i = 1; i <= until; i++) {
    const root = rootOf(changed[i - 1] as Uint8Array);
    tree.add(root);
    if (i <= first) continue;
    const block = naming(blocks[i] as Uint8Array, root);
    readBlock('block', block).footer.allPreviousRootsHash.set(tree.root(EMPTY_HASH));
    changed[i] = block;
  }
  return changed;
};

describe('an altered wrapped record block', () => {
  it('that is in the database is put right when the next block names another root hash', async () => {
    const liar = await start({ blocks: alteredFrom(ALTERED) });
    const honest = await start({ blocks });
    await importBlocks(target, { ...run, location: { nodes: [liar.address()] }, settings: settingsUpTo(ALTERED) });
    await importBlocks(target, { ...run, location: { nodes: [honest.address()] } });
    expect(await digestsOf()).toEqual(undisturbed);
    const [kept] = await target.database.query('select index::int, tree is not null as tree from kagami.block_chain');
    expect(kept).toEqual({ index: last(), tree: true });
  });

  it('is taken from another node while blocks are followed', async () => {
    const liar = await start({ blocks: alteredFrom(ALTERED) });
    const honest = await start({ blocks });
    const location = { nodes: [liar.address(0), honest.address(1)] };
    await importBlocks(target, { ...run, location, follow: true, settings: settingsUpTo(last()) });
    expect(await digestsOf()).toEqual(undisturbed);
    expect(liar.subscriptions).toEqual([0n]);
    expect(honest.subscriptions).toEqual([BigInt(ALTERED)]);
  });

  it('is taken again from the node that altered it only once', async () => {
    const node = await start({ blocks: blocks.slice(0, ALTERED) });
    node.faults.set(BigInt(ALTERED), {
      kind: 'replace',
      bytes: altered(blocks[ALTERED] as Uint8Array),
      once: true,
    });
    let next = ALTERED;
    const committed = (): void => {
      const block = blocks[next++];
      if (block !== undefined) node.add(block);
    };
    const location = { nodes: [node.address()] };
    await importBlocks(target, {
      ...run,
      location,
      follow: true,
      settings: settingsUpTo(last()),
      events: { committed },
    });
    expect(await digestsOf()).toEqual(undisturbed);
  });

  it('and those that a node made follow it are put right, however many', async () => {
    const liar = await start({ blocks: alteredFrom(2, 6) });
    const honest = await start({ blocks });
    await importBlocks(target, { ...run, location: { nodes: [liar.address()] }, settings: settingsUpTo(6) });
    await importBlocks(target, { ...run, location: { nodes: [honest.address()] } });
    expect(await digestsOf()).toEqual(undisturbed);
  });

  it('is put right by the first block of the block stream', async () => {
    const liar = await start({ blocks: alteredFrom(CUTOVER_AT - 1) });
    const honest = await start({ blocks });
    const settings = settingsUpTo(CUTOVER_AT - 1);
    await importBlocks(target, { ...run, location: { nodes: [liar.address()] }, settings });
    await importBlocks(target, { ...run, location: { nodes: [honest.address()] } });
    expect(await digestsOf()).toEqual(undisturbed);
  });

  it('is passed, with the root hash that the next one names, where nobody has it any more', async () => {
    const liar = await start({ blocks: alteredFrom(ALTERED) });
    const pruned = await start({ blocks: blocks.slice(ALTERED + 1), first: BigInt(ALTERED + 1) });
    await importBlocks(target, { ...run, location: { nodes: [liar.address()] }, settings: settingsUpTo(ALTERED) });
    await importBlocks(target, { ...run, location: { nodes: [pruned.address()] } });
    expect(await digestsOf()).toEqual(undisturbed);
  });
});

describe('a wrapped record block that names another root hash than the one before has', () => {
  it('is taken from another node', async () => {
    const changed = [...blocks];
    changed[ALTERED + 1] = naming(blocks[ALTERED + 1] as Uint8Array, new Uint8Array(48).fill(1));
    const liar = await start({ blocks: changed });
    const honest = await start({ blocks });
    const location = { nodes: [liar.address(0), honest.address(1)] };
    await importBlocks(target, { ...run, location, follow: true, settings: settingsUpTo(last()) });
    expect(await digestsOf()).toEqual(undisturbed);
  });

  it('is refused while nobody has another', async () => {
    const changed = [...blocks];
    changed[ALTERED + 1] = naming(blocks[ALTERED + 1] as Uint8Array, new Uint8Array(48).fill(1));
    const liar = await start({ blocks: changed });
    const importing = importBlocks(target, { ...run, location: { nodes: [liar.address()] } });
    await expect(importing).rejects.toMatchObject({ code: 'STREAM_CHAIN_BROKEN' });
    const [row] = await target.database.query('select max(index)::int as newest from record_file');
    expect(row).toEqual({ newest: ALTERED });
  });
});

describe('transactions that nobody signed', () => {
  it('are not imported before the next block names the block that has them', async () => {
    const liar = await start({ blocks: alteredFrom(ALTERED, ALTERED, withAmendment) });
    const honest = await start({ blocks });
    const location = { nodes: [liar.address(0), honest.address(1)] };
    await importBlocks(target, { ...run, location, follow: true, settings: settingsUpTo(last()) });
    expect(await digestsOf()).toEqual(undisturbed);
  });

  it('are waited for when the block that has them is the newest', async () => {
    const changed = alteredFrom(ALTERED, CUTOVER_AT - 1, withAmendment);
    const node = await start({ blocks: changed.slice(0, ALTERED + 1) });
    const settings = settingsUpTo(ALTERED + 1);
    const seen: bigint[] = [];
    const committed = ({ blockNumber }: { readonly blockNumber: bigint }): void => {
      seen.push(blockNumber);
      if (blockNumber === BigInt(ALTERED - 1)) setTimeout(() => node.add(changed[ALTERED + 1] as Uint8Array), 300);
    };
    await importBlocks(target, {
      ...run,
      location: { nodes: [node.address()] },
      follow: true,
      settings,
      events: { committed },
    });
    expect(seen.at(-1)).toBe(BigInt(ALTERED + 1));
    const [row] = await target.database.query(
      'select count(*)::int as transactions from transaction t join record_file f on t.consensus_timestamp ' +
        `between f.consensus_start and f.consensus_end where f.index = ${ALTERED}`,
    );
    expect(row).toEqual({ transactions: (ledger.blocks[ALTERED]?.count as number) + 1 });
  });

  it('are imported with the last block that there is', async () => {
    const changed = alteredFrom(ALTERED, ALTERED, withAmendment).slice(0, ALTERED + 1);
    const node = await start({ blocks: changed });
    await importBlocks(target, { ...run, location: { nodes: [node.address()] } });
    const [row] = await target.database.query('select max(index)::int as newest from record_file');
    expect(row).toEqual({ newest: ALTERED });
  });
});
