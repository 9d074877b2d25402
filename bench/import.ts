/**
 * Import of a simulated ledger of 2-second files (proof, decode, transform, COPY, merge, commit), against raw COPY of the
 * very same rows into an empty database on the same server.
 *
 * Options: --transactions N (200000), --tps N (10000), --mix NAME (transfers), --bulk (without secondary indexes, which
 * are built at the end), --ledger FOLDER (a ledger made by `kagami simulate`; then nothing is simulated, and the memory
 * figure is that of the import alone), --format record|block (record)
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSettings } from '../src/config/load.ts';
import type { CommittedBlocks } from '../src/importer/pipeline/block-commit.ts';
import { startImporterThread } from '../src/importer/pipeline/importer-thread.ts';
import { RECORD_FORM } from '../src/simulator/blocks/ledger-form.ts';
import { simulateLedger } from '../src/simulator/simulate-ledger.ts';
import { ADDRESS_BOOK_FILE } from '../src/simulator/simulation.ts';
import type { BlockStreamLocation } from '../src/sources/block-stream-location.ts';
import { clientCpu, processCpu } from './cpu-time.ts';
import { count, describeMachine, numberOption, printTable, seconds, textOption } from './figures.ts';
import { dumpTables, timeRawCopy } from './raw-copy.ts';
import { withScratch } from './scratch.ts';

export interface ImportFigures {
  readonly wallMs: number;
  readonly blocks: number;
  readonly transactions: number;
  readonly writeMs: number;
  /** Milliseconds of `wallMs` until the last block was committed; what follows is the building of indexes. */
  readonly loadMs: number;
  /** Largest resident set of the process during the import, bytes. */
  readonly peakMemory: number;
  /** The same for each fifth of the import's time until its last commit. */
  readonly memory: readonly number[];
}

/** Which stream of a folder is imported. */
type StreamFormat = 'record' | 'block';

const FIFTHS = 5;

/** Imports a folder once through the importer's thread, as `kagami import` does. */
export const timeImport = async (
  connectionString: string,
  folder: string,
  addressBookFile: string,
  { bulk = false, format = 'record' }: { readonly bulk?: boolean; readonly format?: StreamFormat } = {},
): Promise<ImportFigures> => {
  const { importer, common } = loadSettings({ cwd: folder, env: {}, readFile: () => undefined }).settings.hiero.mirror;
  const commits: CommittedBlocks[] = [];
  let loadMs = 0;
  const samples: { readonly at: number; readonly memory: number }[] = [];
  const started = performance.now();
  const sample = (): void => {
    samples.push({ at: performance.now() - started, memory: process.memoryUsage.rss() });
  };
  sample();
  const watch = setInterval(sample, 50);
  const thread = startImporterThread(
    {
      connectionString,
      ...(format === 'record'
        ? { source: { kind: 'folder', path: folder } }
        : { blocks: { location: blocksIn(folder), ledger: null } }),
      settings: importer,
      network: common,
      initialAddressBook: await readFile(addressBookFile),
      follow: false,
      trustUnsigned: false,
      bulk,
      holder: 'benchmark',
    },
    (message) => {
      if (message.kind !== 'committed') return;
      commits.push(message.blocks);
      loadMs = performance.now() - started;
    },
  );
  const fault = await thread.ended;
  const wallMs = performance.now() - started;
  clearInterval(watch);
  if (fault !== undefined) throw new Error(`${fault.code}: ${fault.message}\n${fault.stack}`);
  const sum = (value: (blocks: CommittedBlocks) => number): number => commits.reduce((all, one) => all + value(one), 0);
  return {
    wallMs,
    loadMs,
    peakMemory: peakOf(samples),
    memory: Array.from({ length: FIFTHS }, (_, i) =>
      peakOf(samples.filter(({ at }) => at >= (i * loadMs) / FIFTHS && at < ((i + 1) * loadMs) / FIFTHS)),
    ),
    blocks: sum(({ blocks }) => blocks),
    transactions: sum(({ transactions }) => transactions),
    writeMs: sum(({ writeMs }) => writeMs),
  };
};

const peakOf = (samples: readonly { readonly memory: number }[]): number =>
  Math.max(0, ...samples.map(({ memory }) => memory));

const blocksIn = (path: string): BlockStreamLocation => ({
  sourceType: 'FILE',
  nodes: [],
  discoversNodes: false,
  files: { kind: 'folder', path },
  network: RECORD_FORM.network,
});

export const run = async (args: readonly string[]): Promise<void> => {
  const transactions = numberOption(args, 'transactions', 200_000);
  const tps = numberOption(args, 'tps', 10_000);
  const mix = textOption(args, 'mix') ?? 'transfers';
  const format = textOption(args, 'format') === 'block' ? 'block' : 'record';
  await withScratch(async (scratch) => {
    const given = textOption(args, 'ledger');
    const ledger = given ?? join(scratch.folder, 'ledger');
    if (given === undefined) {
      console.log(`Simulating ${count(transactions)} transactions at ${count(tps)}/s, mix ${mix} ...`);
      await simulateLedger({ out: ledger, seed: 'bench', transactions, tps, mix, form: { format } });
    }
    const target = await scratch.newDatabase('imported');
    console.log('Importing ...');
    const { pid } = scratch.server;
    const beforeImport = { client: clientCpu(), server: processCpu(pid) };
    const imported = await timeImport(target.writer, ledger, join(ledger, ADDRESS_BOOK_FILE), {
      bulk: args.includes('--bulk'),
      format,
    });
    const importCpu = { client: clientCpu() - beforeImport.client, server: processCpu(pid) - beforeImport.server };
    const dumps = await dumpTables(target.owner);
    const rows = dumps.reduce((sum, dump) => sum + dump.rows, 0);
    const bytes = dumps.reduce((sum, dump) => sum + dump.chunks.reduce((all, chunk) => all + chunk.length, 0), 0);
    const limit = await scratch.newDatabase('raw');
    const rawBefore = processCpu(pid);
    const rawMs = await timeRawCopy(limit.owner, dumps);
    const rawCpu = processCpu(pid) - rawBefore;
    console.log(`\n${describeMachine(scratch.server.version)}`);
    console.log(
      `${count(imported.transactions)} transactions, ${count(rows)} rows, ${count(bytes / 2 ** 20)} MiB of COPY\n`,
    );
    printTable(
      ['', 'seconds', 'transactions/s', 'rows/s', 'ratio to raw COPY', 'CPU of the server', 'CPU of the importer'],
      [
        [
          'raw COPY',
          seconds(rawMs),
          rate(imported.transactions, rawMs),
          rate(rows, rawMs),
          '1.00',
          seconds(rawCpu),
          '',
        ],
        [
          'import',
          seconds(imported.wallMs),
          rate(imported.transactions, imported.wallMs),
          rate(rows, imported.wallMs),
          (imported.wallMs / rawMs).toFixed(2),
          seconds(importCpu.server),
          seconds(importCpu.client),
        ],
        ['  until the last commit', seconds(imported.loadMs), '', '', (imported.loadMs / rawMs).toFixed(2), '', ''],
        ['  of it writing', seconds(imported.writeMs), '', '', (imported.writeMs / rawMs).toFixed(2), '', ''],
      ],
    );
    const mebibytes = (bytes: number): string => count(bytes / 2 ** 20);
    console.log(
      `\nLargest resident set of the process while importing: ${mebibytes(imported.peakMemory)} MiB; ` +
        `in each fifth of the time: ${imported.memory.map(mebibytes).join(', ')}`,
    );
  });
};

const rate = (value: number, milliseconds: number): string => count((value * 1_000) / milliseconds);
