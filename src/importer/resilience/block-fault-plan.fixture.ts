/**
 * What goes wrong during one import of blocks, drawn from a seed: with the places that blocks come from, the blocks
 * themselves, the database and the importers.
 */
import type { LedgerFormat } from '../../simulator/blocks/ledger-form.ts';
import type { Random } from '../../simulator/random.ts';
import {
  type BlockPlan,
  one,
  planClock,
  planFeed,
  planMaxFiles,
  planRunFaults,
  type RunPlan,
  seededRandom,
} from './fault-plan.fixture.ts';

/** How a block is not the one of the ledger. */
export const forgeries = [
  'bit flipped',
  'bit of the proof flipped',
  'proof of another block',
  'without proof',
  'without footer',
  'wrong previous hash',
  'cut off',
  'a transaction less',
  'an item twice',
  'items exchanged',
  'items of the next block within',
  'the next block behind it',
  'record file within',
  'item that no hash covers',
  'block of another ledger',
  'the next block',
  'the block before',
] as const;
export type Forgery = (typeof forgeries)[number];

/** What a node does with a block instead of sending it, by the names of `TestBlockNode`. */
export const breaches = [
  'die',
  'error',
  'refuse',
  'mumble',
  'success',
  'stall',
  'drip',
  'silent',
  'repeat',
  'restart',
  'reorder',
  'hole',
  'headless',
  'wrong-end',
  'empty-set',
  'garbage',
] as const;
export type Breach = (typeof breaches)[number];

/** How a file is not what it should be before it is. */
export const damages = ['truncated', 'bit flipped', 'garbage', 'empty', 'folder in its place'] as const;
export type Damage = (typeof damages)[number];

/** What a bucket answers for a block. */
export const refusals = ['hang', 'reset', 'truncate', 'busy', 'broken', 'forbidden'] as const;
export type Refusal = (typeof refusals)[number];

/** How one place comes to have a block. */
export interface PlacePlan {
  /** Milliseconds after the block's opening. */
  readonly at: number;
  readonly forgery?: Forgery;
  readonly breach?: Breach;
  readonly damage?: Damage;
  readonly refusal?: Refusal;
  /** Of a node: for ever. */
  readonly always: boolean;
  /** Milliseconds after which what is wrong with a file is right. */
  readonly healedAfter: number;
}

export interface OpeningPlan {
  /** The block comes when this many before it are not yet in the database. */
  readonly ahead: number;
  /** One for each node, then one for files. */
  readonly places: readonly PlacePlan[];
}

export type NodeTrouble =
  | 'killed'
  | 'connections reset'
  | 'connections stalled'
  | 'deaf'
  | 'boasts'
  | 'says less'
  | 'prunes';

export interface PlannedTrouble {
  readonly afterBlocks: number;
  readonly node: number;
  readonly trouble: NodeTrouble;
  readonly forMs: number;
}

export type FileKind = 'none' | 'folder' | 'bucket';

export interface BlockFaultPlan extends RunPlan {
  readonly format: Exclude<LedgerFormat, 'record'>;
  /** Name of what ledgers follow from. */
  readonly ledger: string;
  readonly cutoverAt: number;
  readonly sourceType: 'AUTO' | 'BLOCK_NODE' | 'FILE';
  readonly files: FileKind;
  /** Of files. */
  readonly layout: 'nested' | 'flat';
  readonly extension: string;
  readonly nodes: readonly { readonly tls: boolean; readonly priority: number; readonly setBytes: number }[];
  /** The first block that is imported. */
  readonly first: number;
  /** Whether a setting asks for that block; else it is the earliest there is. */
  readonly asksForFirst: boolean;
  /** Whether a setting tells the last block: importers end after it. */
  readonly ends: boolean;
  readonly knowsLedger: boolean;
  readonly firstStage: boolean;
  /** One for each block. */
  readonly openings: readonly OpeningPlan[];
  readonly troubles: readonly PlannedTrouble[];
  /** How record files arrive, before a cutover. */
  readonly feed: readonly BlockPlan[];
}

export interface BlockPlanOptions {
  readonly seed: number;
  readonly blocks: number;
  /** Of record files. */
  readonly recordNodes: number;
  readonly liars: readonly number[];
  /** Faults of the database and of processes. */
  readonly faults: number;
}

const formats = ['block', 'cutover', 'block', 'wrapped', 'cutover'] as const;
const places = ['node', 'two nodes', 'folder', 'AUTO', 'bucket', 'TLS node'] as const;
const extensions = ['.blk.zstd', '.blk.gz', '.blk', '.blk.zst'] as const;
/** By block: a place has another fault now and then. */
const FAULT_CHANCE = 0.25;

export const planBlockFaults = ({ seed, blocks, recordNodes, liars, faults }: BlockPlanOptions): BlockFaultPlan => {
  const random = seededRandom(`blocks ${seed}`);
  const format = formats[seed % formats.length] as (typeof formats)[number];
  const place = places[seed % places.length] as (typeof places)[number];
  const nodes = nodesOf(random, place);
  const files = place === 'folder' || place === 'bucket' ? place : place === 'AUTO' ? 'folder' : 'none';
  const first = format !== 'cutover' && random.chance(0.3) ? random.between(1, 4) : 0;
  const knowsLedger = first > 0 || random.chance(0.5);
  const withNodes = nodes.length > 0;
  /** Faults wait for blocks in the database. */
  const imported = blocks - first;
  return {
    seed,
    format,
    ledger: `blocks ${seed}`,
    cutoverAt: random.between(3, blocks - 3),
    sourceType: place === 'AUTO' ? 'AUTO' : withNodes ? 'BLOCK_NODE' : 'FILE',
    files,
    layout: one(random, ['nested', 'flat']),
    extension: one(random, extensions),
    nodes,
    first,
    asksForFirst: first > 0 && random.chance(0.5),
    ends: random.chance(0.5),
    knowsLedger,
    firstStage: random.chance(0.4),
    openings: Array.from({ length: blocks }, (_, block) => ({
      ahead: random.between(1, 10),
      places: [
        ...nodes.map((_node, i) =>
          planNodeBlock(random, place === 'two nodes' && i === 0, block > first || knowsLedger),
        ),
        ...(files === 'none' ? [] : [planFile(random, files, block > first || knowsLedger)]),
      ],
    })),
    troubles: withNodes
      ? Array.from({ length: random.between(2, 6) }, () => planTrouble(random, imported, nodes.length)).sort(
          (a, b) => a.afterBlocks - b.afterBlocks,
        )
      : [],
    maxFiles: planMaxFiles(random),
    feed: planFeed(random, { blocks, nodes: recordNodes, liars }),
    faults: planRunFaults(random, { seed, blocks: imported, faults }),
    clock: planClock(random),
  };
};

const nodesOf = (random: Random, place: (typeof places)[number]): BlockFaultPlan['nodes'] => {
  const count = place === 'two nodes' ? 2 : place === 'folder' || place === 'bucket' ? 0 : 1;
  return Array.from({ length: count }, () => ({
    tls: place === 'TLS node' || random.chance(0.2),
    priority: random.below(2),
    setBytes: random.chance(0.5) ? 2_000 : 1_048_576,
  }));
};

/** @param canLie whether a forged block could be told from the true one */
const planNodeBlock = (random: Random, liar: boolean, canLie: boolean): PlacePlan => {
  const common = { at: delay(random), always: liar && random.chance(0.5), healedAfter: 0 };
  if (!random.chance(liar ? 0.6 : FAULT_CHANCE)) return { ...common, always: false };
  if (canLie && random.chance(liar ? 0.8 : 0.5)) return { ...common, forgery: one(random, forgeries) };
  return { ...common, breach: one(random, breaches) };
};

const planFile = (random: Random, files: 'folder' | 'bucket', canLie: boolean): PlacePlan => {
  const common = { at: delay(random), always: false, healedAfter: random.between(50, 900) };
  if (!random.chance(FAULT_CHANCE)) return common;
  if (canLie && random.chance(0.4)) return { ...common, forgery: one(random, forgeries) };
  if (files === 'bucket' && random.chance(0.8)) return { ...common, refusal: one(random, refusals) };
  // A bucket has no folders.
  return { ...common, damage: one(random, files === 'folder' ? damages : damages.slice(0, -1)) };
};

const troubles: readonly NodeTrouble[] = [
  'killed',
  'killed',
  'connections reset',
  'connections reset',
  'connections stalled',
  'deaf',
  'boasts',
  'says less',
  'prunes',
];

const planTrouble = (random: Random, blocks: number, nodes: number): PlannedTrouble => ({
  afterBlocks: random.below(blocks),
  node: random.below(nodes),
  trouble: one(random, troubles),
  forMs: random.between(50, 1_500),
});

const delay = (random: Random): number => {
  const kind = random.below(20);
  if (kind < 14) return random.below(40);
  return kind < 19 ? random.below(300) : random.between(300, 1_500);
};
