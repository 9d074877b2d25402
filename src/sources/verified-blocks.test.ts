import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isKagamiError, type KagamiError } from '../errors/kagami-error.ts';
import { streamError } from '../streams/stream-error.ts';
import { BlockFiles } from './block-files/block-files.ts';
import { BlockFolder } from './block-files/block-folder.ts';
import type { BlockMeasurement } from './block-measurement.ts';
import type { BlockNodeLimits } from './block-node/block-node-client.ts';
import { BlockNodes, type BlockNodesOptions } from './block-node/block-nodes.ts';
import { type BlockOrigin, FileOrigin, NodeOrigin, type NodeOriginOptions } from './block-origin.ts';
import type { BlockProver } from './block-prover.ts';
import { type BlockFault, plainBlock, TestBlockNode, type TestBlockNodeOptions } from './testing/block-node.fixture.ts';
import { type VerifiedBlocksOptions, verifiedBlocks } from './verified-blocks.ts';

const limits: BlockNodeLimits = {
  maxBlockItems: 1_000,
  maxBlockBytes: 1_000_000,
  maxMessageBytes: 200_000,
  statusTimeoutMs: 2_000,
  silenceMs: 200,
  blockTimeoutMs: 60_000,
  readAheadBytes: 1_000_000,
};

const blockAt = (number: number): Uint8Array => plainBlock(BigInt(number), [new Uint8Array(50).fill(number % 251)]);
const chain = (from: number, to: number): Uint8Array[] =>
  Array.from({ length: to - from + 1 }, (_, i) => blockAt(from + i));
const LIE = plainBlock(2n, [new Uint8Array(50).fill(255)]);

/** Accepts the blocks of `chain` in their order, and remembers the order as a real one remembers hashes. */
const proverFrom = (first: number): BlockProver<number> => {
  let next = first;
  return async (blocks) => {
    const outcomes: Awaited<ReturnType<BlockProver<number>>>[number][] = [];
    for (const { number, bytes } of blocks) {
      const right = Number(number) === next && Buffer.from(bytes).equals(blockAt(next));
      if (!right) {
        outcomes.push(streamError('STREAM_CHAIN_BROKEN', { file: `${number}`, rule: `is not block ${next}` }));
        break;
      }
      outcomes.push({ value: next, consensusEnd: BigInt(Date.now()) * 1_000_000n, wrapped: false });
      next++;
    }
    return outcomes;
  };
};

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const start = async (options: TestBlockNodeOptions): Promise<TestBlockNode> => {
  const node = await new TestBlockNode(options).start();
  cleanups.push(() => node.kill());
  return node;
};

const poolOf = (nodes: readonly TestBlockNode[], changes: Partial<BlockNodesOptions> = {}): BlockNodes =>
  new BlockNodes({
    nodes: nodes.map((node, i) => node.address(i)),
    limits,
    scheduler: 'PRIORITY_THEN_LATENCY',
    maxSubscribeAttempts: 3,
    readmitDelayMs: 60_000,
    ...changes,
  });

const nodeOrigin = (nodes: BlockNodes, changes: Partial<NodeOriginOptions> = {}): NodeOrigin => {
  cleanups.push(() => nodes.close());
  return new NodeOrigin({
    nodes,
    rescheduleLatencyMs: 50,
    minRescheduleMs: 10_000,
    maxPostProcessingMs: 1_000,
    probes: { frequencyMs: 10_000, timeoutMs: 5_000, backlog: 1 },
    ...changes,
  });
};

interface Walk extends Partial<VerifiedBlocksOptions<number>> {
  readonly origins: readonly BlockOrigin[];
}

/** Takes blocks up to `last`, which the walk may also be told. */
const walkTo = async (last: number, walk: Walk): Promise<number[]> => {
  const taken: number[] = [];
  const stop = new AbortController();
  const blocks = verifiedBlocks({
    prove: proverFrom(Number(walk.from ?? 0)),
    from: 0n,
    to: undefined,
    follow: true,
    acceptGaps: false,
    signal: stop.signal,
    minPauseMs: 5,
    maxPauseMs: 50,
    ...walk,
  });
  for await (const { value } of blocks) {
    taken.push(value);
    if (value === last) stop.abort();
  }
  return taken;
};

const upTo = (last: number): number[] => Array.from({ length: last + 1 }, (_, i) => i);

const folderOrigin = async (numbers: readonly number[]): Promise<FileOrigin> => {
  const root = await mkdtemp(join(tmpdir(), 'kagami-blocks-'));
  cleanups.push(() => rm(root, { recursive: true, force: true }));
  await mkdir(root, { recursive: true });
  for (const number of numbers) await writeFile(join(root, `${number}.blk`), blockAt(number));
  const store = new BlockFolder(root, { network: 'other', maxFileBytes: 1_000_000 });
  const options = { store, readAhead: 4, readAheadBytes: 10_000, pollMs: 5, maxPollMs: 10, holePatienceMs: 50 };
  return new FileOrigin(new BlockFiles(options));
};

/** Proves blocks only together with block `by`, as one without a proof of its own is by the signature of a later one. */
const provenTogether = (by: bigint): BlockProver<number> => {
  const proveLinks = proverFrom(0);
  return async (blocks, moreToCome) =>
    blocks.some(({ number }) => number >= by)
      ? proveLinks(blocks, moreToCome)
      : [streamError('STREAM_UNKNOWN_PROOF', { file: `${blocks[0]?.number}`, rule: 'proof of kind 7' })];
};

describe('a block that does not prove itself', () => {
  it('waits for a later one that proves it', async () => {
    const node = await start({ blocks: chain(0, 0) });
    const refused: string[] = [];
    const walking = walkTo(4, {
      origins: [nodeOrigin(poolOf([node]))],
      prove: provenTogether(2n),
      onWaiting: (_, { code }) => refused.push(code),
    });
    for (const block of chain(1, 4)) {
      await new Promise((resolve) => setTimeout(resolve, 30));
      node.add(block);
    }
    expect(await walking).toEqual([0, 1, 2, 3, 4]);
    expect([refused, node.subscriptions]).toEqual([[], [0n]]);
  });

  it('waits for it although it is as large as a whole batch', async () => {
    const node = await start({ blocks: chain(0, 4) });
    const walk = { origins: [nodeOrigin(poolOf([node]))], prove: provenTogether(2n), follow: false, batchBytes: 1 };
    expect(await walkTo(4, walk)).toEqual([0, 1, 2, 3, 4]);
  });

  it('is refused when none comes in time, or none may come', async () => {
    const node = await start({ blocks: chain(0, 0) });
    const refused: string[] = [];
    const stop = new AbortController();
    await walkTo(0, {
      origins: [nodeOrigin(poolOf([node]))],
      prove: provenTogether(2n),
      laterProofMs: 20,
      signal: stop.signal,
      onWaiting: (_, { code }) => {
        refused.push(code);
        stop.abort();
      },
    });
    expect(refused).toEqual(['STREAM_UNKNOWN_PROOF']);
    const folder = await start({ blocks: chain(0, 1) });
    const once = { origins: [nodeOrigin(poolOf([folder]))], prove: provenTogether(2n), follow: false };
    await expect(walkTo(1, once)).rejects.toMatchObject({ code: 'STREAM_UNKNOWN_PROOF' });
  });
});

describe('blocks of one node', () => {
  it('are read once, up to the newest one that it has', async () => {
    const node = await start({ blocks: chain(0, 30) });
    expect(await walkTo(-1, { origins: [nodeOrigin(poolOf([node]))], follow: false })).toEqual(upTo(30));
  });

  it('begin with the earliest one where no other is wanted', async () => {
    const node = await start({ blocks: chain(4, 6), first: 4n });
    const origins = [nodeOrigin(poolOf([node]))];
    expect(await walkTo(-1, { origins, follow: false, from: undefined, prove: proverFrom(4) })).toEqual([4, 5, 6]);
  });

  it('end with the last one that is wanted', async () => {
    const node = await start({ blocks: chain(0, 30) });
    expect(await walkTo(-1, { origins: [nodeOrigin(poolOf([node]))], to: 7n })).toEqual(upTo(7));
  });

  it('are waited for on one subscription', async () => {
    const node = await start({ blocks: chain(0, 1) });
    const taking = walkTo(5, { origins: [nodeOrigin(poolOf([node]))] });
    for (let number = 2; number <= 5; number++) {
      await new Promise((resolve) => setTimeout(resolve, 30));
      node.add(blockAt(number));
    }
    expect(await taking).toEqual(upTo(5));
    expect(node.subscriptions).toEqual([0n]);
  });

  it('go on after it died and came back', async () => {
    const node = await start({ blocks: chain(0, 3) });
    const waits: string[] = [];
    let proceeded = 0;
    const taking = walkTo(6, {
      origins: [nodeOrigin(poolOf([node]))],
      onWaiting: (file, { code }) => waits.push(`${file}: ${code}`),
      onProceeding: () => proceeded++,
    });
    await expect.poll(() => node.subscriptions.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    node.kill();
    await expect.poll(() => waits).toContain('block 4: SOURCE_NODE_UNREACHABLE');
    node.add(...chain(4, 6));
    await node.start();
    expect(await taking).toEqual(upTo(6));
    expect(proceeded).toBeGreaterThan(0);
  });

  it('are asked for again when it lied, since nobody else has them', async () => {
    const node = await start({ blocks: chain(0, 4) });
    node.faults.set(2n, { kind: 'replace', bytes: LIE, once: true });
    const measured: BlockMeasurement['kind'][] = [];
    const origins = [nodeOrigin(poolOf([node]))];
    expect(await walkTo(4, { origins, onMeasured: ({ kind }) => measured.push(kind) })).toEqual(upTo(4));
    expect(measured).toEqual(['proven', 'proven', 'refused', 'error', 'proven', 'proven', 'proven']);
  });

  it('are refused at last when they are read once', async () => {
    const node = await start({ blocks: chain(0, 4) });
    node.faults.set(2n, { kind: 'replace', bytes: LIE });
    const origins = [nodeOrigin(poolOf([node]))];
    await expect(walkTo(-1, { origins, follow: false })).rejects.toMatchObject({ code: 'STREAM_CHAIN_BROKEN' });
  });

  it('are refused when it does not keep them any more', async () => {
    const node = await start({ blocks: chain(5, 9), first: 5n });
    const origins = [nodeOrigin(poolOf([node]))];
    await expect(walkTo(-1, { origins, follow: false })).rejects.toMatchObject({
      code: 'SOURCE_BLOCK_MISSING',
      message: expect.stringContaining('no block node can provide block 0'),
    });
  });

  it('begin with what is the earliest by the time that they come', async () => {
    const node = await start({ blocks: chain(0, 5) });
    node.faults.set(0n, { kind: 'refuse', once: true });
    const onWaiting = (): void => node.prune(3n);
    const origins = [nodeOrigin(poolOf([node]))];
    expect(await walkTo(5, { origins, from: undefined, prove: proverFrom(3), onWaiting })).toEqual([3, 4, 5]);
    expect(node.subscriptions).toEqual([0n, 3n]);
  });
});

describe('blocks of several nodes', () => {
  it('come from the next one when the first dies', async () => {
    const nodes = [await start({ blocks: chain(0, 9) }), await start({ blocks: chain(0, 9) })] as const;
    nodes[0].faults.set(3n, { kind: 'die' });
    const origins = [nodeOrigin(poolOf(nodes, { maxSubscribeAttempts: 1 }))];
    expect(await walkTo(9, { origins })).toEqual(upTo(9));
    expect(nodes[1].subscriptions).toEqual([3n]);
  });

  it('come from the next one at once when the first lies, and from the first again when there is no other', async () => {
    const nodes = [await start({ blocks: chain(0, 9) }), await start({ blocks: chain(0, 4) })] as const;
    nodes[0].faults.set(2n, { kind: 'replace', bytes: LIE, once: true });
    nodes[1].faults.set(4n, { kind: 'die' });
    const origins = [nodeOrigin(poolOf(nodes, { maxSubscribeAttempts: 1 }))];
    expect(await walkTo(9, { origins })).toEqual(upTo(9));
    expect(nodes[1].subscriptions).toEqual([2n]);
    expect(nodes[0].subscriptions).toEqual([0n, 4n]);
  });

  it('come from the one that has more when the first falls behind', async () => {
    const nodes = [await start({ blocks: chain(0, 3) }), await start({ blocks: chain(0, 2) })] as const;
    const taking = walkTo(8, { origins: [nodeOrigin(poolOf(nodes))] });
    await expect.poll(() => nodes[0].subscriptions.length).toBe(1);
    nodes[1].add(...chain(3, 8));
    expect(await taking).toEqual(upTo(8));
    expect(nodes[1].subscriptions).toEqual([4n]);
  });

  it('are had with PRIORITY from the first, however slow', async () => {
    const nodes = [await start({ blocks: chain(0, 3) }), await start({ blocks: chain(0, 3) })] as const;
    const pool = poolOf(nodes, { scheduler: 'PRIORITY' });
    pool.nodes[0]?.latency.measured(900);
    pool.nodes[1]?.latency.measured(100);
    expect((await pool.choose(0n, true)).client.name).toBe(`127.0.0.1:${nodes[0].port}`);
    expect(pool.rivalsOf(pool.nodes[0] as (typeof pool.nodes)[number])).toEqual([]);
    pool.close();
  });

  it('are had from the fastest of a priority, or with LATENCY of all', async () => {
    const nodes = [
      await start({ blocks: chain(0, 3) }),
      await start({ blocks: chain(0, 3) }),
      await start({ blocks: chain(0, 3) }),
    ];
    const addresses = nodes.map((node, i) => node.address(i === 2 ? 1 : 0));
    for (const [scheduler, fastest] of [
      ['PRIORITY_THEN_LATENCY', 1],
      ['LATENCY', 2],
    ] as const) {
      const pool = poolOf([], { scheduler, nodes: addresses });
      for (const [i, latency] of [300, 200, 100].entries()) pool.nodes[i]?.latency.measured(latency);
      expect((await pool.choose(0n, true)).client.name).toBe(`127.0.0.1:${nodes[fastest]?.port}`);
      pool.close();
    }
  });

  it('are had from a faster one of the same priority once probes have shown that it is', async () => {
    const slow = await start({ blocks: chain(0, 3) });
    const fast = await start({ blocks: chain(0, 3) });
    const pool = poolOf([], { nodes: [slow.address(), fast.address()] });
    const origin = nodeOrigin(pool, { minRescheduleMs: 0, probes: { frequencyMs: 0, timeoutMs: 5_000, backlog: 1 } });
    const taking = walkTo(40, { origins: [origin] });
    for (let number = 4; number <= 40; number++) {
      fast.add(blockAt(number));
      await new Promise((resolve) => setTimeout(resolve, 150));
      slow.add(blockAt(number));
      if (fast.subscriptions.some((from) => from > 4n) && slow.subscriptions.length > 1) break;
    }
    // Whoever is subscribed to now gets the rest.
    const rest = (node: TestBlockNode): Uint8Array[] => chain(Number(node.last) + 1, 40);
    fast.add(...rest(fast));
    slow.add(...rest(slow));
    expect(await taking).toEqual(upTo(40));
    expect(pool.nodes[1]?.latency.averageMs).toBeLessThan(150);
  }, 60_000);

  it('are to be had again of a node that was left alone, after a while', async () => {
    let now = 0;
    const nodes = [await start({ blocks: chain(0, 3) }), await start({ blocks: chain(0, 3) })] as const;
    const pool = poolOf(nodes, { clock: () => now, readmitDelayMs: 1_000 });
    const [first, second] = pool.nodes as [(typeof pool.nodes)[number], (typeof pool.nodes)[number]];
    for (let fault = 0; fault < 3; fault++) {
      expect(await pool.choose(0n, true)).toBe(first);
      pool.failed(first, 0n);
    }
    expect(await pool.choose(0n, true)).toBe(second);
    expect(await pool.choose(1n, true)).toBe(second);
    now = 1_000;
    expect(await pool.choose(1n, true)).toBe(first);
    pool.close();
  });

  it('end up the same for 100 seeds of faults', async () => {
    const LAST = 60;
    const kinds: readonly BlockFault['kind'][] = [
      'die',
      'error',
      'success',
      'stall',
      'silent',
      'repeat',
      'restart',
      'reorder',
      'hole',
      'headless',
      'wrong-end',
      'empty-set',
      'garbage',
      'replace',
    ];
    for (let seed = 1; seed <= 100; seed++) {
      let state = seed;
      const random = (below: number): number => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
      };
      const nodes = await Promise.all(
        [0, 1, 2].map((i) =>
          start({ blocks: chain(0, i === 0 ? LAST : LAST - random(30)), setBytes: 20 + random(100) }),
        ),
      );
      for (const node of nodes) {
        for (let fault = 0; fault < 6; fault++) {
          const kind = kinds[random(kinds.length)] as BlockFault['kind'];
          const at = BigInt(random(LAST + 1));
          node.faults.set(at, {
            ...(kind === 'replace' ? { kind, bytes: LIE } : { kind }),
            once: true,
          } as BlockFault & { once: true });
        }
      }
      const pool = poolOf(nodes, { limits: { ...limits, silenceMs: 20 }, readmitDelayMs: 100 });
      expect(await walkTo(LAST, { origins: [nodeOrigin(pool)], minPauseMs: 1, maxPauseMs: 5 }), `seed ${seed}`).toEqual(
        upTo(LAST),
      );
      for (const cleanup of cleanups.splice(0)) await cleanup();
    }
  }, 300_000);

  it('begin with the earliest that others have when who had an earlier one lied', async () => {
    const liar = await start({ blocks: [blockAt(99), ...chain(1, 5)] });
    const honest = await start({ blocks: chain(3, 5), first: 3n });
    const origins = [nodeOrigin(poolOf([liar, honest]))];
    expect(await walkTo(5, { origins, from: undefined, prove: proverFrom(3) })).toEqual([3, 4, 5]);
  });
});

describe('a node that ends its stream in good order before the block that it has', () => {
  it('leaves it to another one', async () => {
    const idle = await start({ blocks: chain(0, 9) });
    idle.faults.set(4n, { kind: 'success' });
    const good = await start({ blocks: chain(0, 9) });
    const waiting: string[] = [];
    const onWaiting = (_: string, { code }: KagamiError): void => void waiting.push(code);
    expect(await walkTo(9, { origins: [nodeOrigin(poolOf([idle, good]))], onWaiting })).toEqual(upTo(9));
    expect(good.subscriptions).toEqual([4n]);
    expect(waiting).toEqual(['SOURCE_BLOCK_MISSING']);
  });
});

describe('a lie that comes to light when the walk is over', () => {
  it('is held against the node by the next walk', async () => {
    const liar = await start({ blocks: chain(0, 9) });
    liar.faults.set(2n, { kind: 'replace', bytes: LIE });
    const honest = await start({ blocks: chain(0, 9) });
    const pool = poolOf([liar, honest]);
    const stop = new AbortController();
    const prove = proverFrom(0);
    const blocks = verifiedBlocks({
      origins: [nodeOrigin(pool)],
      prove: async (raw, moreToCome) => {
        const outcomes = await prove(raw, moreToCome);
        if (outcomes.some((outcome) => isKagamiError(outcome))) stop.abort();
        return outcomes;
      },
      from: 0n,
      to: undefined,
      follow: true,
      acceptGaps: false,
      signal: stop.signal,
    });
    for await (const _ of blocks);
    expect(pool.nodes.map(({ inactiveUntil }) => inactiveUntil > 0)).toEqual([true, false]);
  });
});

describe('blocks of nodes, else of files', () => {
  it('come from files after three faults of the nodes, and go on with nodes behind the last file', async () => {
    const node = await start({ blocks: chain(0, 9) });
    node.faults.set(2n, { kind: 'error' });
    const origins = [nodeOrigin(poolOf([node])), await folderOrigin([0, 1, 2, 3, 4])];
    const errors: string[] = [];
    const taken = await walkTo(9, {
      origins,
      onMeasured: (measured) => {
        if (measured.kind === 'error') errors.push(measured.origin);
      },
    });
    expect(taken).toEqual(upTo(9));
    expect(errors).toEqual(new Array(3).fill(`BlockNode(127.0.0.1:${node.port})`));
    expect(node.subscriptions).toEqual([0n, 2n, 2n, 5n]);
  });

  it('come from files where no node is known', async () => {
    const origins = [nodeOrigin(poolOf([])), await folderOrigin([0, 1, 2])];
    expect(await walkTo(-1, { origins, follow: false })).toEqual(upTo(2));
  });

  it('come from nodes that become known', async () => {
    const node = await start({ blocks: chain(0, 9) });
    let known = 0;
    const origin = nodeOrigin(poolOf([]), { discover: async () => (++known > 2 ? [node.address()] : []) });
    expect(await walkTo(9, { origins: [origin, await folderOrigin([0, 1])] })).toEqual(upTo(9));
  });
});

describe('new blocks of a node', () => {
  it('come by the one subscription that is open, also where files are at hand', async () => {
    const node = await start({ blocks: chain(0, 2) });
    const stop = new AbortController();
    const blocks = verifiedBlocks({
      origins: [nodeOrigin(poolOf([node])), await folderOrigin([0])],
      prove: proverFrom(0),
      from: 0n,
      to: undefined,
      follow: true,
      acceptGaps: false,
      signal: stop.signal,
    });
    let last = -1;
    for await (const { value } of blocks) {
      last = value;
      if (value === 9) stop.abort();
      else if (value >= 2) setTimeout(() => node.add(blockAt(value + 1)), 20);
    }
    expect(last).toBe(9);
    expect(node.subscriptions).toEqual([0n]);
  });
});

describe('the newest block of files', () => {
  it('is looked for at the pace of files while nodes fail', async () => {
    const node = await start({ blocks: chain(0, 3) });
    const root = await mkdtemp(join(tmpdir(), 'kagami-blocks-'));
    cleanups.push(() => rm(root, { recursive: true, force: true }));
    await writeFile(join(root, '0.blk'), blockAt(0));
    const store = new BlockFolder(root, { network: 'other', maxFileBytes: 1_000_000 });
    const looks: bigint[] = [];
    const read = store.read.bind(store);
    store.read = (number) => {
      looks.push(number);
      return read(number);
    };
    node.kill();
    const files = new FileOrigin(
      new BlockFiles({ store, readAhead: 1, readAheadBytes: 1, pollMs: 5, maxPollMs: 5, holePatienceMs: 60_000 }),
    );
    setTimeout(() => void writeFile(join(root, '1.blk'), blockAt(1)), 2_000);
    const origins = [nodeOrigin(poolOf([node])), files];
    expect(await walkTo(1, { origins, minPauseMs: 1_000, maxPauseMs: 60_000 })).toEqual([0, 1]);
    // Pauses of a node that fails would leave room for a few looks.
    expect(looks.filter((number) => number === 1n).length).toBeGreaterThan(20);
  });
});

describe('blocks of files', () => {
  it('are refused where some are missing', async () => {
    const origins = [await folderOrigin([0, 1, 4])];
    const fault = walkTo(-1, { origins, follow: false });
    await expect(fault).rejects.toMatchObject({ code: 'SOURCE_BLOCK_MISSING' } satisfies Partial<KagamiError>);
  });

  it('are not there', async () => {
    const origins = [await folderOrigin([])];
    await expect(walkTo(-1, { origins, follow: false, from: undefined })).rejects.toMatchObject({
      code: 'SOURCE_EMPTY',
    });
  });
});
