/**
 * An importer in a process of its own, to be killed, frozen and cut off: follows a folder as `kagami start` does, with
 * the same thread, and stands in line again after passing faults. Takes a JSON object as argument, tells one JSON object
 * a line, and stops at SIGTERM.
 */
import { readFileSync } from 'node:fs';
import type { BlockStreamLocation } from '../../sources/block-stream-location.ts';
import type { BucketLocation, FolderLocation } from '../../sources/source-location.ts';
import { configuredLedger } from '../pipeline/block-trust.ts';
import { type ImporterThread, startImporterThread } from '../pipeline/importer-thread.ts';
import { type ResilienceRange, resilienceSettings } from './resilience-settings.fixture.ts';

export interface ImporterArguments {
  readonly connectionString: string;
  /** Folder of record files; left out where there are only blocks. */
  readonly folder?: string;
  /** Where blocks come from. */
  readonly blocks?: BlockPlaces;
  /** File with the publication of the ledger id. */
  readonly ledger?: string;
  readonly addressBook: string;
  readonly holder: string;
  readonly maxFiles: number;
  readonly range?: ResilienceRange;
}

/** As JSON: a bucket's shard is 0. */
export type BlockPlaces = Omit<BlockStreamLocation, 'files'> & {
  readonly files?: FolderLocation | Omit<BucketLocation, 'shard'>;
};

/** What the process tells. */
export type ImporterNews =
  | { readonly kind: 'committed'; readonly block: number }
  | { readonly kind: 'importing' | 'standby' | 'stopped' | 'ended' }
  | { readonly kind: 'stage'; readonly stream: 'records' | 'blocks' }
  | {
      readonly kind: 'standstill' | 'retrying' | 'restarting' | 'failed';
      readonly code: string;
      readonly message: string;
    };

const RESTART_MS = 100;

const locationOf = ({ files, ...places }: BlockPlaces): BlockStreamLocation => ({
  ...places,
  files: files?.kind === 'bucket' ? { ...files, shard: 0n } : files,
});

const given = JSON.parse(process.argv[2] ?? '') as ImporterArguments;
const tell = (news: ImporterNews): void => void process.stdout.write(`${JSON.stringify(news)}\n`);

let thread: ImporterThread | undefined;
let stopping = false;

const run = async (): Promise<void> => {
  thread = startImporterThread(
    {
      connectionString: given.connectionString,
      ...(given.folder === undefined ? {} : { source: { kind: 'folder', path: given.folder } }),
      ...(given.blocks === undefined
        ? {}
        : { blocks: { location: locationOf(given.blocks), ledger: await configuredLedger(given.ledger ?? '', '') } }),
      settings: resilienceSettings(given.maxFiles, given.range),
      network: { shard: 0n, realm: 0n },
      initialAddressBook: readFileSync(given.addressBook),
      follow: true,
      trustUnsigned: false,
      holder: given.holder,
    },
    (message) => {
      if (message.kind === 'committed') tell({ kind: 'committed', block: Number(message.blocks.blockNumber) });
      else if (message.kind === 'stage') tell({ kind: 'stage', stream: message.stream });
      else if (message.kind === 'standstill' || message.kind === 'retrying') {
        tell({ kind: message.kind, code: message.fault.code, message: message.fault.message });
      } else if (message.kind === 'importing' || message.kind === 'standby') tell({ kind: message.kind });
    },
  );
  const fault = await thread.ended;
  if (stopping) return;
  if (fault === undefined) {
    if (given.range?.endBlockNumber === undefined) throw new Error('a following importer came to its end');
    tell({ kind: 'ended' });
    return;
  }
  const passing = fault.code === 'WRITER_FENCED' || fault.retryable;
  tell({ kind: passing ? 'restarting' : 'failed', code: fault.code, message: `${fault.message} ${fault.stack ?? ''}` });
  if (passing) setTimeout(() => void run(), RESTART_MS);
  else process.exitCode = 1;
};

process.on('SIGTERM', () => {
  stopping = true;
  void thread?.stop().then(() => {
    tell({ kind: 'stopped' });
    process.exit(0);
  });
});
// Whoever started this process has gone.
process.stdin.resume().once('close', () => process.exit(1));
void run();
