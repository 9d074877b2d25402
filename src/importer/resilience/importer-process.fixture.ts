/**
 * An importer in a process of its own, to be killed, frozen and cut off: follows a folder as `kagami start` does, with
 * the same thread, and stands in line again after passing faults. Takes a JSON object as argument, tells one JSON object
 * a line, and stops at SIGTERM.
 */
import { readFileSync } from 'node:fs';
import { type ImporterThread, startImporterThread } from '../pipeline/importer-thread.ts';
import { resilienceSettings } from './resilience-settings.fixture.ts';

export interface ImporterArguments {
  readonly connectionString: string;
  readonly folder: string;
  readonly addressBook: string;
  readonly holder: string;
  readonly maxFiles: number;
}

/** What the process tells. */
export type ImporterNews =
  | { readonly kind: 'committed'; readonly block: number }
  | { readonly kind: 'importing' | 'standby' | 'stopped' }
  | {
      readonly kind: 'standstill' | 'retrying' | 'restarting' | 'failed';
      readonly code: string;
      readonly message: string;
    };

const RESTART_MS = 100;

const given = JSON.parse(process.argv[2] ?? '') as ImporterArguments;
const tell = (news: ImporterNews): void => void process.stdout.write(`${JSON.stringify(news)}\n`);

let thread: ImporterThread | undefined;
let stopping = false;

const run = async (): Promise<void> => {
  thread = startImporterThread(
    {
      connectionString: given.connectionString,
      source: { kind: 'folder', path: given.folder },
      settings: resilienceSettings(given.maxFiles),
      network: { shard: 0n, realm: 0n },
      initialAddressBook: readFileSync(given.addressBook),
      follow: true,
      trustUnsigned: false,
      holder: given.holder,
    },
    (message) => {
      if (message.kind === 'committed') tell({ kind: 'committed', block: Number(message.blocks.blockNumber) });
      else if (message.kind === 'standstill' || message.kind === 'retrying') {
        tell({ kind: message.kind, code: message.fault.code, message: message.fault.message });
      } else if (message.kind === 'importing' || message.kind === 'standby') tell({ kind: message.kind });
    },
  );
  const fault = await thread.ended;
  if (stopping) return;
  if (fault === undefined) throw new Error('a following importer came to its end');
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
