import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainBlock, TestBlockNode } from '../testing/block-node.fixture.ts';
import { type BlockNodeState, BlockNodes } from './block-nodes.ts';

const READMIT_MS = 1_000;
const blocks = Array.from({ length: 5 }, (_, number) => plainBlock(BigInt(number)));

let first: TestBlockNode;
let second: TestBlockNode;

beforeAll(async () => {
  first = await new TestBlockNode({ blocks }).start();
  second = await new TestBlockNode({ blocks }).start();
});

afterAll(() => {
  first.kill();
  second.kill();
});

const open = () => {
  let now = 0;
  const nodes = new BlockNodes({
    nodes: [first.address(0), second.address(1)],
    limits: {
      maxMessageBytes: 1_000_000,
      maxBlockBytes: 1_000_000,
      maxBlockItems: 1_000,
      statusTimeoutMs: 5_000,
      silenceMs: 5_000,
      blockTimeoutMs: 5_000,
      readAheadBytes: 1_000_000,
    },
    scheduler: 'PRIORITY',
    maxSubscribeAttempts: 3,
    readmitDelayMs: READMIT_MS,
    clock: () => now,
  });
  const [preferred, other] = nodes.nodes as [BlockNodeState, BlockNodeState];
  return {
    nodes,
    preferred,
    other,
    pass: (ms: number) => {
      now += ms;
    },
    failThrice: (node: BlockNodeState, block: bigint) => {
      for (let i = 0; i < 3; i++) nodes.failed(node, block);
    },
  };
};

describe('the node that is asked for a block', () => {
  it('is another one once the preferred one did not give it three times, also when that may be asked again', async () => {
    const { nodes, preferred, other, pass, failThrice } = open();
    nodes.failed(preferred, 3n);
    nodes.failed(preferred, 3n);
    expect(await nodes.choose(3n, false)).toBe(preferred);
    nodes.failed(preferred, 3n);
    expect(await nodes.choose(3n, false)).toBe(other);
    pass(READMIT_MS);
    expect(await nodes.choose(3n, false)).toBe(other);
    failThrice(other, 3n);
    pass(READMIT_MS);
    expect(await nodes.choose(3n, false)).toBe(preferred);
    nodes.close();
  });

  it('is the preferred one again for the blocks after it', async () => {
    const { nodes, preferred, pass, failThrice } = open();
    failThrice(preferred, 3n);
    pass(READMIT_MS);
    expect(await nodes.choose(4n, false)).toBe(preferred);
    nodes.close();
  });

  it('is each in its turn while all of them are left alone', async () => {
    const { nodes, preferred, other, failThrice } = open();
    nodes.failed(other, 3n, true);
    failThrice(preferred, 3n);
    expect(await nodes.choose(3n, false)).toBe(preferred);
    failThrice(preferred, 3n);
    expect(await nodes.choose(3n, false)).toBe(other);
    nodes.close();
  });
});
