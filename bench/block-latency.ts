/**
 * `npm run bench block-latency`: how long after a block node has sent a block its rows can be queried. A simulated block
 * node sends a block every so often, as the network would make them; the importer's thread follows it. The aim is a p99 of
 * at most 500 ms from the last message of the block to the announcement of its commit.
 *
 * Options: --blocks N (120), --interval N milliseconds between blocks (500), --tps N transactions per second (100),
 * --mix NAME (everything)
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { loadSettings } from '../src/config/load.ts';
import type { CommittedBlocks } from '../src/importer/pipeline/block-commit.ts';
import { startImporterThread } from '../src/importer/pipeline/importer-thread.ts';
import { BlockNode } from '../src/simulator/block-node/block-node.ts';
import { BlockStore } from '../src/simulator/block-node/block-store.ts';
import { BlockFolder } from '../src/simulator/blocks/block-folder.ts';
import { simulateLedger } from '../src/simulator/simulate-ledger.ts';
import type { BlockMeasurement } from '../src/sources/block-measurement.ts';
import { count, describeMachine, epochTime, numberOption, printTable, quantile, textOption } from './figures.ts';
import { withScratch } from './scratch.ts';

const BLOCK_CHANNEL = 'kagami_block';
/** Blocks that come before the figures count: threads start, code is compiled. */
const WARM_UP = 20;
const LAST_BLOCK_MS = 60_000;

export const run = (args: readonly string[]): Promise<void> =>
  withScratch(async ({ folder, server, newDatabase }) => {
    const blocks = numberOption(args, 'blocks', 120) + WARM_UP;
    const interval = numberOption(args, 'interval', 500);
    const tps = numberOption(args, 'tps', 100);
    const mix = textOption(args, 'mix') ?? 'everything';
    console.log(`Simulating ${blocks} blocks of ${interval} ms at ${count(tps)}/s, mix ${mix} ...`);
    const out = join(folder, 'ledger');
    const ledger = await simulateLedger({
      out,
      seed: 'latency',
      blocks,
      tps,
      mix,
      blockIntervalMs: interval,
      form: { format: 'block' },
    });

    const empty = new BlockFolder(join(folder, 'offered'), 'other', 'split');
    await empty.prepare();
    const store = await BlockStore.open(empty);
    const sent = new Map<bigint, number>();
    const node = await BlockNode.start({
      store,
      port: 0,
      hooks: {
        async *messages(number, right) {
          yield* right;
          // The generator goes on when the last message was written.
          sent.set(number, epochTime());
        },
      },
    });
    const target = await newDatabase('latency');
    const commits = new Map<bigint, number>();
    const client = new pg.Client({ connectionString: target.owner });
    await client.connect();
    let announced = -1n;
    client.on('notification', ({ payload = '' }) => {
      const last = BigInt(payload);
      for (let number = announced + 1n; number <= last; number++) commits.set(number, epochTime());
      announced = last;
    });
    await client.query(`listen ${BLOCK_CHANNEL}`);

    const { importer, common } = loadSettings({ cwd: folder, env: {}, readFile: () => undefined }).settings.hiero
      .mirror;
    const proven: Extract<BlockMeasurement, { kind: 'proven' }>[] = [];
    const writes: CommittedBlocks[] = [];
    const address = { host: '127.0.0.1', port: node.port, requiresTls: false };
    const thread = startImporterThread(
      {
        connectionString: target.writer,
        blocks: {
          location: {
            sourceType: 'BLOCK_NODE',
            nodes: [{ priority: 0, status: address, subscribe: address }],
            discoversNodes: false,
            files: undefined,
            network: 'other',
          },
          ledger: null,
        },
        settings: importer,
        network: common,
        follow: true,
        trustUnsigned: false,
        holder: 'benchmark',
      },
      (message) => {
        if (message.kind === 'measured' && message.measurement.kind === 'proven') proven.push(message.measurement);
        if (message.kind === 'committed') writes.push(message.blocks);
      },
    );
    const [first, ...others] = ledger.blocks;
    const offer = ({ number, blockBytes }: (typeof ledger.blocks)[number]): void =>
      store.add(number, blockBytes as Uint8Array);
    if (first !== undefined) offer(first);
    while (announced < 0n) await pause(20);
    let due = performance.now();
    for (const block of others) {
      due += interval;
      await pause(Math.max(0, due - performance.now()));
      offer(block);
    }
    const newest = ledger.blocks.at(-1)?.number ?? 0n;
    for (const deadline = performance.now() + LAST_BLOCK_MS; announced < newest; ) {
      if (performance.now() > deadline) throw new Error(`block ${newest} is not there after ${LAST_BLOCK_MS} ms`);
      await pause(20);
    }
    await thread.stop();
    await client.end();
    await node.stop();

    const counted = ledger.blocks.slice(-(blocks - WARM_UP));
    const latencies = counted.map(
      ({ number }) => (commits.get(number) ?? Number.NaN) - (sent.get(number) ?? Number.NaN),
    );
    const figures = (name: string, values: readonly number[]): string[] => [
      name,
      ...[0.5, 0.9, 0.99, 1].map((part) => quantile(values, part).toFixed(0)),
    ];
    console.log(`\n${describeMachine(server.version)}`);
    console.log(
      `${counted.length} blocks, ${count(counted.reduce((sum, block) => sum + block.count, 0))} transactions\n`,
    );
    printTable(
      ['milliseconds', 'p50', 'p90', 'p99', 'most'],
      [
        figures('from the last message of a block to its commit', latencies),
        figures(
          '  of it reading, proof and making records',
          proven.slice(-counted.length).map(({ verificationMs }) => verificationMs),
        ),
        figures(
          '  of it writing',
          writes.slice(-counted.length).map(({ writeMs }) => writeMs),
        ),
      ],
    );
  });
