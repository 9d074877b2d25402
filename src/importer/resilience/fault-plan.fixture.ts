/**
 * What goes wrong during one simulated import, drawn from a seed: the same seed gives the same plan. Moments are blocks
 * in the database, with milliseconds after them, so that a plan means the same on slow machines.
 */
import { createHash } from 'node:crypto';
import { Random } from '../../simulator/random.ts';

/** How a node's copy of a file is wrong before it is right. */
export type Harm =
  | 'truncated'
  | 'bit flipped'
  | 'garbage'
  | 'empty'
  | 'folder in its place'
  | 'signature of another node'
  | 'signature of another block';

/** What a node does that never has the true file of a block. */
export type Lie = 'forged' | 'silent' | 'signs nothing';

export interface CopyPlan {
  /** Milliseconds after the block's opening at which each file arrives. */
  readonly recordAt: number;
  readonly signatureAt: number;
  readonly sidecarAt: number;
  readonly harm?: { readonly kind: Harm; readonly healedAfter: number };
  readonly lie?: Lie;
  /** Milliseconds after which all files of the copy are written once more. */
  readonly againAfter?: number;
}

/** Files beside the true ones. */
export type Stray = 'wrong name' | 'invented block' | 'unfinished' | 'name of another time';

export interface BlockPlan {
  /** The block's files begin to arrive when this many blocks before it are not yet in the database. */
  readonly ahead: number;
  /** One for each node. */
  readonly copies: readonly CopyPlan[];
  readonly stray?: { readonly kind: Stray; readonly node: number };
}

export type StopMode = 'smart' | 'fast' | 'immediate';

export type Fault =
  | { readonly kind: 'restart server'; readonly mode: StopMode; readonly downMs: number }
  | { readonly kind: 'kill backend' }
  | { readonly kind: 'terminate connections'; readonly of: 'lock' | 'import' | 'all' }
  | { readonly kind: 'fill disk'; readonly forMs: number; readonly leaveBytes: number }
  | { readonly kind: 'drop connections' }
  | { readonly kind: 'stall connections'; readonly forMs: number; readonly thenDrop: boolean }
  | { readonly kind: 'cut copy'; readonly chunk: number }
  | { readonly kind: 'cut commit'; readonly moment: 'before' | 'after' }
  | { readonly kind: 'kill importer'; readonly awayMs: number }
  | { readonly kind: 'freeze importer'; readonly forMs: number; readonly loses: 'nothing' | 'lock' | 'all connections' }
  | { readonly kind: 'second importer' };

export interface PlannedFault {
  /** Blocks in the database that it waits for. */
  readonly afterBlocks: number;
  readonly thenMs: number;
  readonly fault: Fault;
}

export interface ClockJump {
  /** Milliseconds after the start of the process. */
  readonly atMs: number;
  readonly shiftMs: number;
}

/** What befalls the database and the importers, whatever they read. */
export interface RunPlan {
  readonly seed: number;
  /** Most blocks that one commit takes. */
  readonly maxFiles: number;
  readonly faults: readonly PlannedFault[];
  /** Of every importer process. */
  readonly clock: readonly ClockJump[];
}

export interface FaultPlan extends RunPlan {
  /** One for each block. */
  readonly feed: readonly BlockPlan[];
}

export interface PlanOptions {
  readonly seed: number;
  readonly blocks: number;
  readonly nodes: number;
  /** Indexes of nodes that together weigh too little to prove a file, or to keep the others from it. */
  readonly liars: readonly number[];
  /** Faults of the database and of processes. */
  readonly faults: number;
}

const harms: readonly Harm[] = [
  'truncated',
  'truncated',
  'bit flipped',
  'bit flipped',
  'garbage',
  'empty',
  'folder in its place',
  'signature of another node',
  'signature of another block',
];
const lies: readonly Lie[] = ['forged', 'forged', 'silent', 'signs nothing'];
const strays: readonly Stray[] = ['wrong name', 'invented block', 'unfinished', 'name of another time'];

const HOUR_MS = 3_600_000;

export const planFaults = ({ seed, blocks, nodes, liars, faults }: PlanOptions): FaultPlan => {
  const random = seededRandom(`resilience ${seed}`);
  return {
    seed,
    maxFiles: planMaxFiles(random),
    feed: planFeed(random, { blocks, nodes, liars }),
    faults: planRunFaults(random, { seed, blocks, faults }),
    clock: planClock(random),
  };
};

export const seededRandom = (seed: string): Random => {
  const digest = createHash('sha256').update(seed).digest();
  return new Random(Uint32Array.from({ length: 4 }, (_, i) => digest.readUInt32LE(4 * i)));
};

export const planMaxFiles = (random: Random): number => 1 + random.below(6);

/** How the record files of so many blocks arrive. */
export const planFeed = (
  random: Random,
  { blocks, nodes, liars }: Pick<PlanOptions, 'blocks' | 'nodes' | 'liars'>,
): BlockPlan[] => Array.from({ length: blocks }, (_, block) => planBlock(random, block, nodes, liars));

/** Faults of database and processes. */
export const planRunFaults = (
  random: Random,
  { seed, blocks, faults }: Pick<PlanOptions, 'seed' | 'blocks' | 'faults'>,
): PlannedFault[] =>
  Array.from({ length: faults }, (_, i) => ({
    afterBlocks: random.below(blocks),
    thenMs: random.below(120),
    // The first two see to it that ten seeds in a row have every kind.
    fault: planFault(random, i < 2 ? (seed * 3 + i) % FAULTS : random.below(FAULTS)),
  })).sort((a, b) => a.afterBlocks - b.afterBlocks);

export const planClock = (random: Random): ClockJump[] =>
  Array.from({ length: random.below(4) }, () => ({
    atMs: random.below(4_000),
    shiftMs: random.between(-48 * HOUR_MS, 48 * HOUR_MS),
  }));

export const one = <T>(random: Random, values: readonly T[]): T => values[random.below(values.length)] as T;

const delay = (random: Random): number => {
  const kind = random.below(20);
  if (kind < 14) return random.below(40);
  return kind < 19 ? random.below(300) : random.below(900);
};

const planBlock = (random: Random, block: number, nodes: number, liars: readonly number[]): BlockPlan => {
  // Nowhere for a while.
  const held = block > 0 && random.chance(0.04) ? random.between(200, 700) : 0;
  const copies = Array.from({ length: nodes }, (_, node) =>
    planCopy(random, held, block > 0 && liars.includes(node) && random.chance(0.7)),
  );
  const stray = block > 0 && random.chance(0.25) ? { kind: one(random, strays), node: random.below(nodes) } : undefined;
  return { ahead: random.between(1, 10), copies, ...(stray === undefined ? {} : { stray }) };
};

const planCopy = (random: Random, held: number, lying: boolean): CopyPlan => {
  const arrival = (): number => held + delay(random);
  const times = { recordAt: arrival(), signatureAt: arrival(), sidecarAt: arrival() };
  if (lying) return { ...times, lie: one(random, lies) };
  return {
    ...times,
    ...(random.chance(0.2) ? { harm: { kind: one(random, harms), healedAfter: random.between(20, 500) } } : {}),
    ...(random.chance(0.1) ? { againAfter: random.below(800) } : {}),
  };
};

/** Cases of `planFault`. */
const FAULTS = 16;

const planFault = (random: Random, number: number): Fault => {
  switch (number) {
    case 0:
    case 1:
      return { kind: 'restart server', mode: one(random, ['smart', 'fast', 'immediate']), downMs: random.below(300) };
    case 2:
      return { kind: 'kill backend' };
    case 3:
    case 4:
      return { kind: 'terminate connections', of: one(random, ['lock', 'import', 'all']) };
    case 5:
    case 6:
      return { kind: 'fill disk', forMs: random.between(100, 800), leaveBytes: random.below(300_000) };
    case 7:
      return { kind: 'drop connections' };
    case 8:
      return { kind: 'stall connections', forMs: random.between(100, 1_000), thenDrop: random.chance(0.5) };
    case 9:
    case 10:
      return { kind: 'cut copy', chunk: random.below(12) };
    case 11:
    case 12:
      return { kind: 'cut commit', moment: one(random, ['before', 'after', 'after']) };
    case 13:
      return { kind: 'kill importer', awayMs: random.below(500) };
    case 14: {
      const loses = one(random, ['nothing', 'lock', 'lock', 'all connections'] as const);
      return { kind: 'freeze importer', forMs: random.between(300, 2_000), loses };
    }
    default:
      return { kind: 'second importer' };
  }
};
