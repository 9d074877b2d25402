/**
 * A cutover that is killed before and after each of its commits, and whenever it turns from one stream to the other.
 * KAGAMI_CUTOVER_KILLS=all takes every point; every test run takes some.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BlockFaultPlan } from './block-fault-plan.fixture.ts';
import { type BlockLedger, simulateBlockLedger } from './block-ledger.fixture.ts';
import { createDatabase } from './faulty-database.fixture.ts';
import { createScratchFolder, FaultyServer } from './faulty-server.fixture.ts';
import { GoodPlaces } from './good-places.fixture.ts';
import type { BlockPlaces, ImporterNews } from './importer-process.fixture.ts';
import { ImporterSlot } from './importer-slot.fixture.ts';
import {
  differencesFrom,
  type LedgerTables,
  readLedgerTables,
  undisturbedTables,
} from './undisturbed-tables.fixture.ts';

const TAKES_ALL = process.env.KAGAMI_CUTOVER_KILLS === 'all';
/** Commits whose moments every test run takes, from the first one. */
const EVERY_NTH = 4;
const CUTOVER_AT = 3;
const SIZE = { blocks: 4, tps: 4, users: 10, nodes: 1, mix: 'transfer=1' };
const PLACES = ['node', 'files'] as const;
type Place = (typeof PLACES)[number];

type Point =
  | { readonly kind: 'commit'; readonly number: number; readonly moment: 'before' | 'after' }
  | { readonly kind: 'stage'; readonly number: number };

let folder: string;
let server: FaultyServer;
let ledger: BlockLedger;
let places: GoodPlaces;
const undisturbed = new Map<Place, LedgerTables[]>();

const planOf = (...wanted: readonly Place[]): BlockFaultPlan =>
  ({
    format: 'cutover',
    first: 0,
    nodes: wanted.includes('node') ? [{ tls: false, priority: 0, setBytes: 0 }] : [],
    files: wanted.includes('files') ? 'folder' : 'none',
    layout: 'nested',
    extension: '.blk.zstd',
  }) as Partial<BlockFaultPlan> as BlockFaultPlan;

beforeAll(async () => {
  folder = createScratchFolder();
  const form = { format: 'cutover', ledger: 'killed', cutoverAt: CUTOVER_AT } as const;
  [server, ledger] = await Promise.all([
    FaultyServer.start(folder),
    simulateBlockLedger(join(folder, 'ledger'), form, SIZE),
  ]);
  places = await GoodPlaces.open(ledger, planOf(...PLACES));
  for (const place of PLACES) {
    undisturbed.set(place, await undisturbedTables(ledger, planOf(place), () => createDatabase(server)));
  }
}, 180_000);

afterAll(async () => {
  await places?.close();
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const locationOf = (place: Place): BlockPlaces => {
  const [ofNode, ofFiles] = places.locations;
  const { files } = ofFiles ?? {};
  const common = { discoversNodes: false, network: 'other' };
  if (place === 'node') return { ...common, sourceType: 'BLOCK_NODE', nodes: ofNode?.nodes ?? [] };
  return { ...common, sourceType: 'FILE', nodes: [], ...(files === undefined ? {} : { files }) };
};

interface Run {
  readonly tables: LedgerTables;
  readonly commits: number;
  readonly stages: number;
}

/** Imports all, from the beginning to the end, killed once. */
const importWithKill = async (place: Place, point: Point | undefined): Promise<Run> => {
  const target = await createDatabase(server);
  let onNews: (news: ImporterNews) => void = () => undefined;
  let stages = 0;
  const slot = await ImporterSlot.open({
    server,
    database: target.name,
    task: {
      folder: ledger.folder,
      blocks: locationOf(place),
      addressBook: ledger.addressBook,
      holder: 'importer',
      maxFiles: 1,
      range: { endBlockNumber: ledger.blocks.length - 1 },
    },
    clock: [],
    compileCache: join(folder, 'compiled'),
    onNews: (news) => onNews(news),
  });
  const runUntil = (until: Promise<void> | undefined): Promise<void> => {
    const end = Promise.withResolvers<void>();
    onNews = (news) => {
      if (news.kind === 'failed') end.reject(new Error(news.message));
      if (news.kind === 'ended') end.resolve();
      if (news.kind === 'stage' && stages++ === (point?.kind === 'stage' && until ? point.number : -1)) end.resolve();
    };
    slot.run();
    return until === undefined ? end.promise : Promise.race([until, end.promise]);
  };
  try {
    if (point !== undefined) {
      const held = Promise.withResolvers<void>();
      if (point.kind === 'commit') {
        const { moment, number: passing } = point;
        slot.proxy.trap = { kind: 'held commit', moment, passing, held: held.resolve };
      }
      await runUntil(held.promise);
      await slot.kill();
      slot.proxy.trap = undefined;
    }
    await runUntil(undefined);
    return { tables: await readLedgerTables(target.database), commits: slot.proxy.commits, stages };
  } finally {
    await slot.stop();
    await target.drop();
  }
};

describe.each(PLACES)('a cutover to blocks of a %s', (place) => {
  it('ends with the tables of an undisturbed one wherever it is killed', async () => {
    const expected = undisturbed.get(place) as LedgerTables[];
    const whole = await importWithKill(place, undefined);
    expect(differencesFrom(expected, whole.tables)).toEqual([]);
    // Each block is a commit of its own.
    expect(whole.commits).toBeGreaterThanOrEqual(ledger.blocks.length);
    expect(whole.stages).toBeGreaterThanOrEqual(2);
    const commits = Array.from({ length: whole.commits }, (_, number) => number);
    const points: Point[] = [
      ...commits.flatMap((number) =>
        (['before', 'after'] as const).map((moment) => ({ kind: 'commit' as const, number, moment })),
      ),
      ...Array.from({ length: whole.stages }, (_, number) => ({ kind: 'stage' as const, number })),
    ];
    const taken = TAKES_ALL ? points : points.filter((_, i) => i % EVERY_NTH === (place === 'node' ? 0 : 2));
    const found: Record<string, readonly string[]> = {};
    for (const point of taken) {
      const { tables } = await importWithKill(place, point);
      const differences = differencesFrom(expected, tables);
      if (differences.length > 0) found[JSON.stringify(point)] = differences;
    }
    expect(found).toEqual({});
    if (TAKES_ALL) process.stdout.write(`killed at ${taken.length} points of a cutover to blocks of a ${place}\n`);
  }, 900_000);
});
