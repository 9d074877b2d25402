/** All places that the blocks of a plan come from, and before a cutover record files, with their faults. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { testCertificate } from '../../sources/testing/tls.fixture.ts';
import { importBlocks } from '../pipeline/testing/block-run.fixture.ts';
import type { BlockFaultPlan } from './block-fault-plan.fixture.ts';
import type { BlockLedger } from './block-ledger.fixture.ts';
import { seededRandom } from './fault-plan.fixture.ts';
import { FaultyBlockFiles, NETWORK, type TestBucket } from './faulty-block-files.fixture.ts';
import { FaultyBlockNodes } from './faulty-block-nodes.fixture.ts';
import type { FaultySource } from './faulty-import.fixture.ts';
import { FaultyStream, FinishedLedger } from './faulty-stream.fixture.ts';
import { GoodPlaces } from './good-places.fixture.ts';
import { resilienceSettings } from './resilience-settings.fixture.ts';
import { rangeOf } from './undisturbed-tables.fixture.ts';

export interface BlockSourceOptions {
  readonly plan: BlockFaultPlan;
  readonly ledger: BlockLedger;
  /** Blocks of another ledger. */
  readonly others: readonly Uint8Array[];
  /** Scratch folder. */
  readonly folder: string;
  readonly bucket: TestBucket;
}

export const openFaultyBlocks = async (options: BlockSourceOptions): Promise<FaultySource> => {
  const { plan, ledger, others, folder, bucket } = options;
  const material = { blocks: ledger.blocks, others };
  const random = seededRandom(`forgeries ${plan.seed}`);
  const nodes = await FaultyBlockNodes.start(plan, material, random);
  const files =
    plan.files === 'none'
      ? undefined
      : new FaultyBlockFiles(
          plan,
          material,
          random,
          join(folder, 'blocks'),
          plan.files === 'bucket' ? bucket : undefined,
        );
  const records = join(folder, 'records');
  const stream =
    plan.format === 'cutover'
      ? new FaultyStream(new FinishedLedger(ledger.folder), recordPlan(plan), records)
      : undefined;
  const certificate = join(folder, 'certificate.pem');
  await writeFile(certificate, testCertificate);
  return new FaultyBlocks({ ...options, nodes, files, stream, records, certificate });
};

/** Record files end at the cutover. */
const recordPlan = ({ feed, cutoverAt }: BlockFaultPlan): Pick<BlockFaultPlan, 'feed'> => ({
  feed: feed.slice(0, cutoverAt),
});

interface Places extends BlockSourceOptions {
  readonly nodes: FaultyBlockNodes;
  readonly files: FaultyBlockFiles | undefined;
  readonly stream: FaultyStream | undefined;
  readonly records: string;
  readonly certificate: string;
}

class FaultyBlocks implements FaultySource {
  readonly blocks: number;
  readonly task: FaultySource['task'];
  readonly environment: Readonly<Record<string, string>>;
  readonly #places: Places;
  readonly #timers = new Set<NodeJS.Timeout>();
  #opened: number;
  readonly #troubles;

  constructor(places: Places) {
    const { plan, ledger, nodes, files, stream, records, certificate } = places;
    this.#places = places;
    this.#opened = plan.first;
    this.#troubles = [...plan.troubles];
    this.blocks = ledger.blocks.length - plan.first;
    this.environment = { GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: certificate };
    this.task = {
      blocks: {
        sourceType: plan.sourceType,
        nodes: nodes.addresses,
        discoversNodes: false,
        network: NETWORK,
        ...(files === undefined ? {} : { files: files.location }),
      },
      ...(stream === undefined ? {} : { folder: records }),
      ...(plan.knowsLedger ? { ledger: ledger.ledgerIdFile } : {}),
      addressBook: ledger.addressBook,
      range: rangeOf(plan),
    };
  }

  advance(blocks: number): void {
    const { plan, stream, nodes } = this.#places;
    stream?.advance(blocks);
    for (let next = this.#troubles[0]; next !== undefined && next.afterBlocks <= blocks; next = this.#troubles[0]) {
      this.#troubles.shift();
      nodes.cause(next, blocks);
    }
    for (;;) {
      const opening = plan.openings[this.#opened];
      const ahead = this.#opened - plan.first;
      // Before the first block is imported nothing says that it is the first: the others come after it.
      if (opening === undefined || (ahead > 0 && blocks === 0) || ahead - opening.ahead > blocks) return;
      this.#open(this.#opened++);
    }
  }

  async catchUp(target: TestDatabase, maxFiles: number): Promise<number> {
    const { plan, ledger } = this.#places;
    const places = await GoodPlaces.open(ledger, plan);
    let further = 0;
    try {
      await importBlocks(target, {
        location: places.locations[0] ?? {},
        addressBook: await readFile(ledger.addressBook),
        ...(plan.knowsLedger ? { ledgerIdFile: ledger.ledgerIdFile } : {}),
        settings: resilienceSettings(maxFiles),
        events: {
          committed: ({ blocks }) => {
            further += blocks;
          },
        },
      });
    } finally {
      await places.close();
    }
    return further;
  }

  async stop(): Promise<void> {
    const { nodes, files, stream, folder } = this.#places;
    for (const timer of this.#timers) clearTimeout(timer);
    stream?.stop();
    await nodes.stop();
    await files?.stop();
    await rm(folder, { recursive: true, force: true });
  }

  #open(number: number): void {
    const { plan, nodes, files } = this.#places;
    for (const [index, place] of (plan.openings[number]?.places ?? []).entries()) {
      const arrive = (): void => {
        this.#timers.delete(timer);
        if (index < plan.nodes.length) nodes.arrive(index, number, place);
        else files?.arrive(number, place);
      };
      const timer = setTimeout(arrive, place.at);
      this.#timers.add(timer);
    }
  }
}
