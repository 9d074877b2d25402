import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { loadSettings } from '../../config/load.ts';
import type { BlockStreamLocation } from '../../sources/block-stream-location.ts';
import { plainBlock, TestBlockNode } from '../../sources/testing/block-node.fixture.ts';
import { checkBlockStream } from './block-check.ts';
import type { Finding } from './finding.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const { block } = loadSettings({ cwd: '/srv', env: {}, overrides: [], readFile: () => undefined }).settings.hiero.mirror
  .importer;

const nodeWith = async (...blocks: Uint8Array[]): Promise<TestBlockNode> => {
  const node = await new TestBlockNode({ blocks, first: 5n }).start();
  cleanups.push(() => node.kill());
  return node;
};

const check = async (location: Partial<BlockStreamLocation>): Promise<Omit<Finding, 'advice'>[]> => {
  const whole = {
    sourceType: 'AUTO',
    nodes: [],
    discoversNodes: false,
    files: undefined,
    network: 'other',
    ...location,
  } as const;
  return (await checkBlockStream(whole, block)).map(({ result, subject, message }) => ({ result, subject, message }));
};

it('tells which blocks each node has, and which does not answer', async () => {
  const stocked = await nodeWith(plainBlock(5n), plainBlock(6n));
  const empty = await nodeWith();
  const gone = await nodeWith();
  gone.kill();
  expect(await check({ nodes: [stocked.address(), empty.address(), gone.address()] })).toEqual([
    { result: 'ok', subject: `block node 127.0.0.1:${stocked.port}`, message: 'blocks 5 to 6' },
    { result: 'warn', subject: `block node 127.0.0.1:${empty.port}`, message: 'it has no blocks' },
    { result: 'warn', subject: `block node 127.0.0.1:${gone.port}`, message: expect.stringContaining('UNAVAILABLE') },
  ]);
  // Without another one, nothing can be imported.
  expect(await check({ nodes: [gone.address()] })).toMatchObject([{ result: 'fail' }]);
}, 30_000);

it('tells where the files of a folder begin, and that there are none', async () => {
  const root = await mkdtemp(join(tmpdir(), 'kagami-block-check-'));
  cleanups.push(() => rm(root, { recursive: true, force: true }));
  const files = { kind: 'folder', path: root } as const;
  expect(await check({ files })).toMatchObject([
    { result: 'fail', subject: 'block files', message: `${root} has none` },
  ]);
  await writeFile(join(root, '7.blk.gz'), '');
  expect(await check({ files })).toMatchObject([{ result: 'ok', message: `${root}: from block 7 on` }]);
});
