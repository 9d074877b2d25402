import { afterEach, describe, expect, it } from 'vitest';
import type { RawBlock } from '../block-source.ts';
import {
  type BlockFault,
  plainBlock,
  TestBlockNode,
  type TestBlockNodeOptions,
} from '../testing/block-node.fixture.ts';
import { testCertificate, testKey } from '../testing/tls.fixture.ts';
import { BlockNodeClient, type BlockNodeLimits, type Subscription } from './block-node-client.ts';

const limits: BlockNodeLimits = {
  maxBlockItems: 1_000,
  maxBlockBytes: 1_000_000,
  maxMessageBytes: 200_000,
  statusTimeoutMs: 2_000,
  silenceMs: 200,
  blockTimeoutMs: 60_000,
  readAheadBytes: 1_000_000,
};

const payload = (fill: number, size = 100): Uint8Array => new Uint8Array(size).fill(fill);
const chain = (from: number, to: number): Uint8Array[] =>
  Array.from({ length: to - from + 1 }, (_, i) =>
    plainBlock(BigInt(from + i), [payload(from + i), payload(from + i + 1)]),
  );

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const nodeOf = async (options: TestBlockNodeOptions): Promise<TestBlockNode> => {
  const node = await new TestBlockNode(options).start();
  cleanups.push(() => node.kill());
  return node;
};

const clientOf = (node: TestBlockNode, changes: Partial<BlockNodeLimits> = {}): BlockNodeClient => {
  const client = new BlockNodeClient({ address: node.address(), limits: { ...limits, ...changes } });
  cleanups.push(() => client.close());
  return client;
};

const never = new AbortController().signal;

/** All blocks of a subscription that ends by itself. */
const take = async (client: BlockNodeClient, subscription: Omit<Subscription, 'signal'>): Promise<RawBlock[]> => {
  const blocks: RawBlock[] = [];
  for await (const block of client.blocks({ ...subscription, signal: never })) blocks.push(block);
  return blocks;
};

const numbersOf = (blocks: readonly RawBlock[]): number[] => blocks.map(({ number }) => Number(number));

describe('the status of a block node', () => {
  it('tells its first and last block, or that it has none', async () => {
    const stocked = clientOf(await nodeOf({ blocks: chain(3, 5), first: 3n }));
    expect(await stocked.available()).toEqual({ first: 3n, last: 5n });
    expect(await clientOf(await nodeOf({})).available()).toBeUndefined();
  });

  it('is not waited for beyond its time', async () => {
    const node = await nodeOf({ blocks: chain(0, 0) });
    const client = clientOf(node, { statusTimeoutMs: 100 });
    expect(await client.available()).toEqual({ first: 0n, last: 0n });
    node.deaf = true;
    await expect(client.available()).rejects.toMatchObject({ code: 'SOURCE_NODE_UNREACHABLE', retryable: true });
  });

  it('is not to be had of a node that is not there', async () => {
    const node = await nodeOf({});
    const client = clientOf(node);
    node.kill();
    await expect(client.available()).rejects.toMatchObject({ code: 'SOURCE_NODE_UNREACHABLE' });
  });
});

describe('a block node that speaks TLS', () => {
  it('is read when its certificate is trusted, and only then', async () => {
    const node = await nodeOf({ blocks: chain(0, 2), tls: { cert: testCertificate, key: testKey } });
    const trusting = new BlockNodeClient({ address: node.address(), limits, rootCertificates: testCertificate });
    cleanups.push(() => trusting.close());
    expect(await trusting.available()).toEqual({ first: 0n, last: 2n });
    expect(numbersOf(await take(trusting, { from: 0n, to: 2n }))).toEqual([0, 1, 2]);
    await expect(clientOf(node).available()).rejects.toMatchObject({ code: 'SOURCE_NODE_UNREACHABLE' });
  }, 30_000);
});

describe('a subscription', () => {
  it('gives the bytes of each block, however they are cut, and ends with the last one', async () => {
    const blocks = chain(0, 9);
    const client = clientOf(await nodeOf({ blocks, setBytes: 110 }));
    const taken = await take(client, { from: 2n, to: 8n });
    expect(numbersOf(taken)).toEqual([2, 3, 4, 5, 6, 7, 8]);
    expect(taken.map(({ bytes }) => Buffer.from(bytes).toString('hex'))).toEqual(
      blocks.slice(2, 9).map((bytes) => Buffer.from(bytes).toString('hex')),
    );
    expect(taken[0]?.name).toBe('0000000000000000002.blk');
  });

  it('takes no more than it may before blocks are asked for, and all of them in the end', async () => {
    const blocks = Array.from({ length: 40 }, (_, i) => plainBlock(BigInt(i), [payload(i, 50_000)]));
    const client = clientOf(await nodeOf({ blocks }), { readAheadBytes: 100_000 });
    const numbers: number[] = [];
    for await (const { number } of client.blocks({ from: 0n, to: 39n, signal: never })) {
      numbers.push(Number(number));
      if (number % 10n === 0n) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, i) => i));
  });

  it('waits for blocks that do not exist yet', async () => {
    const node = await nodeOf({ blocks: chain(0, 1) });
    const client = clientOf(node);
    const silences: bigint[] = [];
    const taking = take(client, { from: 2n, to: 3n, onSilence: async (next) => void silences.push(next) });
    await expect.poll(() => silences.length).toBeGreaterThan(0);
    node.add(...chain(2, 3));
    expect(numbersOf(await taking)).toEqual([2, 3]);
    expect(silences[0]).toBe(2n);
    expect(node.subscriptions).toEqual([2n]);
  });

  it('leaves when it is told that others have the block', async () => {
    const client = clientOf(await nodeOf({ blocks: chain(0, 1) }));
    const elsewhere = new Error('elsewhere');
    await expect(take(client, { from: 2n, onSilence: () => Promise.reject(elsewhere) })).rejects.toBe(elsewhere);
  });

  it('ends with its signal', async () => {
    const client = clientOf(await nodeOf({ blocks: chain(0, 1) }));
    const stop = new AbortController();
    const numbers: number[] = [];
    for await (const { number } of client.blocks({ from: 0n, signal: stop.signal })) {
      numbers.push(Number(number));
      if (number === 1n) stop.abort();
    }
    expect(numbers).toEqual([0, 1]);
  });

  it.each<[BlockFault['kind'], readonly number[]]>([
    ['repeat', [0, 1, 2, 3]],
    ['restart', [0, 1, 2, 3]],
    ['empty-set', [0, 1, 2, 3]],
    ['success', [0, 1]],
  ])('survives a node that does this with a block: %s', async (kind, numbers) => {
    const node = await nodeOf({ blocks: chain(0, 3) });
    node.faults.set(2n, { kind } as BlockFault);
    expect(numbersOf(await take(clientOf(node), { from: 0n, to: 3n }))).toEqual(numbers);
  });

  it.each<[BlockFault['kind'], string]>([
    ['die', 'SOURCE_NODE_UNREACHABLE'],
    ['error', 'SOURCE_NODE_UNREACHABLE'],
    ['stall', 'SOURCE_NODE_STALLED'],
    ['silent', 'SOURCE_NODE_STALLED'],
    ['reorder', 'SOURCE_NODE_MISBEHAVED'],
    ['hole', 'SOURCE_NODE_MISBEHAVED'],
    ['headless', 'SOURCE_NODE_MISBEHAVED'],
    ['wrong-end', 'SOURCE_NODE_MISBEHAVED'],
    ['garbage', 'STREAM_MALFORMED'],
  ])('gives the blocks before it and names the fault: %s', async (kind, code) => {
    const node = await nodeOf({ blocks: chain(0, 3) });
    node.faults.set(2n, { kind } as BlockFault);
    const numbers: number[] = [];
    const taking = (async () => {
      for await (const { number } of clientOf(node).blocks({ from: 0n, signal: never })) numbers.push(Number(number));
    })();
    await expect(taking).rejects.toMatchObject({ code });
    expect(numbers).toEqual([0, 1]);
  });

  it('names a block that the node does not keep', async () => {
    const client = clientOf(await nodeOf({ blocks: chain(5, 6), first: 5n }));
    await expect(take(client, { from: 4n })).rejects.toMatchObject({
      code: 'SOURCE_BLOCK_MISSING',
      details: { block: 4n },
    });
  });

  it.each([
    ['items', { maxBlockItems: 2 }],
    ['bytes', { maxBlockBytes: 200 }],
    ['bytes of one message', { maxMessageBytes: 150 }],
  ])('refuses a block with too many %s', async (_what, changes) => {
    const client = clientOf(await nodeOf({ blocks: chain(0, 1) }), changes);
    await expect(take(client, { from: 0n })).rejects.toMatchObject({ code: 'STREAM_OVERSIZED' });
  });

  it('does not wait for ever for a block that comes in drops', async () => {
    const node = await nodeOf({ blocks: chain(0, 0) });
    node.faults.set(0n, { kind: 'stall' });
    const client = clientOf(node, { blockTimeoutMs: 50, silenceMs: 150 });
    await expect(take(client, { from: 0n })).rejects.toMatchObject({ code: 'SOURCE_NODE_STALLED' });
  });
});
