/** Block nodes of which each gets the blocks late and does with some what it should not, as a plan says. */
import type { Random } from '../../simulator/random.ts';
import type { BlockNodeAddress } from '../../sources/block-node/block-node-address.ts';
import { type BlockFault, TestBlockNode } from '../../sources/testing/block-node.fixture.ts';
import { testCertificate, testKey } from '../../sources/testing/tls.fixture.ts';
import type { BlockFaultPlan, Breach, PlacePlan, PlannedTrouble } from './block-fault-plan.fixture.ts';
import { CuttingProxy } from './cutting-proxy.fixture.ts';
import { type ForgeryMaterial, forgedBlockOf } from './forged-blocks.fixture.ts';

/** Between two items of a block that drips. */
const DRIP_MS = 12;

/** A node behind a proxy that breaks its connections. */
class FaultyNode {
  readonly node: TestBlockNode;
  readonly proxy: CuttingProxy;
  readonly address: BlockNodeAddress;
  /** Blocks that have come, by number: a node has them in order. */
  readonly #arrived = new Map<number, Uint8Array>();
  #next: number;

  constructor(node: TestBlockNode, proxy: CuttingProxy, address: BlockNodeAddress, first: number) {
    this.node = node;
    this.proxy = proxy;
    this.address = address;
    this.#next = first;
  }

  arrive(number: number, block: Uint8Array): void {
    this.#arrived.set(number, block);
    for (let next = this.#arrived.get(this.#next); next !== undefined; next = this.#arrived.get(this.#next)) {
      this.#arrived.delete(this.#next++);
      this.node.add(next);
    }
  }
}

export class FaultyBlockNodes {
  readonly #plan: BlockFaultPlan;
  readonly #material: ForgeryMaterial;
  readonly #nodes: readonly FaultyNode[];
  readonly #random: Random;
  #stopped = false;

  private constructor(plan: BlockFaultPlan, material: ForgeryMaterial, nodes: readonly FaultyNode[], random: Random) {
    this.#plan = plan;
    this.#material = material;
    this.#nodes = nodes;
    this.#random = random;
  }

  static async start(plan: BlockFaultPlan, material: ForgeryMaterial, random: Random): Promise<FaultyBlockNodes> {
    const nodes = await Promise.all(
      plan.nodes.map(async ({ tls, priority, setBytes }) => {
        const node = await new TestBlockNode({
          first: BigInt(plan.first),
          setBytes,
          ...(tls ? { tls: { cert: testCertificate, key: testKey } } : {}),
        }).start();
        const proxy = await CuttingProxy.start(() => node.port);
        // A certificate is for a name.
        const endpoint = { host: tls ? 'localhost' : '127.0.0.1', port: proxy.port, requiresTls: tls };
        return new FaultyNode(node, proxy, { priority, status: endpoint, subscribe: endpoint }, plan.first);
      }),
    );
    return new FaultyBlockNodes(plan, material, nodes, random);
  }

  get addresses(): readonly BlockNodeAddress[] {
    return this.#nodes.map(({ address }) => address);
  }

  /** A block has come to a node. */
  arrive(index: number, number: number, place: PlacePlan): void {
    if (this.#stopped) return;
    const { node } = this.#nodes[index] as FaultyNode;
    const fault = this.#faultOf(number, place);
    if (fault !== undefined) node.faults.set(BigInt(number), place.always ? fault : { ...fault, once: true });
    this.#nodes[index]?.arrive(number, this.#material.blocks[number] as Uint8Array);
  }

  /** @param blocks in the database */
  cause({ node: index, trouble, forMs }: PlannedTrouble, blocks: number): void {
    const { node, proxy } = this.#nodes[index] as FaultyNode;
    const later = (action: () => void): void => {
      setTimeout(() => {
        if (!this.#stopped) action();
      }, forMs);
    };
    switch (trouble) {
      case 'killed':
        node.kill();
        later(() => {
          // Another process may have got the port meanwhile; the proxy follows.
          node.port = 0;
          void node.start();
        });
        break;
      case 'connections reset':
        proxy.drop();
        break;
      case 'connections stalled':
        proxy.stall();
        later(() => proxy.resume());
        break;
      case 'deaf':
        node.deaf = true;
        later(() => {
          node.deaf = false;
        });
        break;
      case 'boasts':
      case 'says less':
        node.boast = trouble === 'boasts' ? 50n : -3n;
        later(() => {
          node.boast = 0n;
        });
        break;
      case 'prunes': {
        const first = BigInt(this.#plan.first + blocks);
        if (first <= node.last) node.prune(first);
      }
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { node, proxy } of this.#nodes) {
      node.kill();
      await proxy.close();
    }
  }

  #faultOf(number: number, { forgery, breach }: PlacePlan): BlockFault | undefined {
    if (forgery !== undefined) {
      return { kind: 'replace', bytes: forgedBlockOf(forgery, number, this.#material, this.#random) };
    }
    return breach === undefined ? undefined : breachOf(breach);
  }
}

const breachOf = (breach: Breach): BlockFault =>
  breach === 'drip' ? { kind: 'drip', pauseMs: DRIP_MS } : { kind: breach };
