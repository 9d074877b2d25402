import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { BlockStreamLocation } from '../../sources/block-stream-location.ts';
import { TestBlockNode } from '../../sources/testing/block-node.fixture.ts';
import type { BlockFaultPlan } from './block-fault-plan.fixture.ts';
import { type BlockLedger, blockFileBytes, blockFilePath } from './block-ledger.fixture.ts';

/** The places that a plan has, without faults and with all blocks: a node, a folder, or each of them. */
export class GoodPlaces {
  readonly locations: readonly Partial<BlockStreamLocation>[];
  readonly #node: TestBlockNode | undefined;
  readonly #folder: string;

  private constructor(
    locations: readonly Partial<BlockStreamLocation>[],
    node: TestBlockNode | undefined,
    folder: string,
  ) {
    this.locations = locations;
    this.#node = node;
    this.#folder = folder;
  }

  static async open({ blocks }: BlockLedger, plan: BlockFaultPlan): Promise<GoodPlaces> {
    const { first, nodes, files } = plan;
    const folder = await mkdtemp(join(tmpdir(), 'kagami-good-blocks-'));
    const locations: Partial<BlockStreamLocation>[] = [];
    let node: TestBlockNode | undefined;
    if (nodes.length > 0) {
      node = await new TestBlockNode({ blocks: blocks.slice(first), first: BigInt(first) }).start();
      locations.push({ sourceType: 'BLOCK_NODE', nodes: [node.address()] });
    }
    if (files !== 'none') {
      for (const [number, block] of blocks.entries()) {
        if (number < first) continue;
        const path = join(folder, 'block', blockFilePath(BigInt(number), plan));
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, blockFileBytes(block, plan.extension));
      }
      locations.push({ sourceType: 'FILE', files: { kind: 'folder', path: folder } });
    }
    return new GoodPlaces(locations, node, folder);
  }

  async close(): Promise<void> {
    this.#node?.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
