/** Entry of the importer's thread: waits for its turn to write, imports, and tells the main thread what happens. */
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../../database/connection.ts';
import { acquireWriter, type WriterLease, writerSessionSettings } from '../../database/fencing.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import { FolderSource } from '../../sources/folder-source.ts';
import { parseAddressBook } from '../../streams/address-book.ts';
import { faultOf } from './fault.ts';
import { runImporter } from './importer.ts';
import type { ImporterMessage, ImporterOrder, ImporterTask } from './importer-messages.ts';

const task = workerData as ImporterTask;
const stopping = new AbortController();
const tell = (message: ImporterMessage): void => parentPort?.postMessage(message);

/** The import itself, and what its lookups ask while a group is being written. */
const CONNECTIONS = 3;

const importUnder = async (lease: WriterLease): Promise<void> => {
  const { connectionString, schema, folder, settings, network, initialAddressBook, follow, trustUnsigned, acceptGaps } =
    task;
  const database = openDatabase({
    connectionString,
    max: CONNECTIONS,
    applicationName: 'kagami importer',
    sessionSettings: writerSessionSettings,
    ...(schema === undefined ? {} : { schema }),
  });
  const source = new FolderSource(folder, { watch: follow });
  try {
    await runImporter({
      database,
      lease,
      source,
      settings,
      network,
      follow,
      trustUnsigned,
      acceptGaps: acceptGaps ?? false,
      initialAddressBook:
        initialAddressBook === undefined
          ? undefined
          : parseAddressBook(initialAddressBook, { source: 'initial address book', ...network }),
      signal: AbortSignal.any([stopping.signal, lease.lost]),
      events: {
        committed: (blocks) => tell({ kind: 'committed', blocks, heapBytes: process.memoryUsage().heapUsed }),
        waiting: (file, reason) => tell({ kind: 'waiting', file, fault: faultOf(reason) }),
        skipped: (file, reason) => tell({ kind: 'skipped', file, fault: faultOf(reason) }),
        retrying: (reason, pauseMs) => tell({ kind: 'retrying', fault: faultOf(reason), pauseMs }),
      },
    });
  } finally {
    source.close();
    await database.close();
  }
  if (lease.lost.aborted && !stopping.signal.aborted) {
    throw new KagamiError('WRITER_FENCED', 'The connection that held the writer lock was lost');
  }
};

const run = async (): Promise<void> => {
  const lease = await acquireWriter({
    connectionString: task.connectionString,
    holder: task.holder,
    signal: stopping.signal,
    onWait: ({ holder }) => tell({ kind: 'standby', holder }),
  });
  try {
    tell({ kind: 'importing' });
    await importUnder(lease);
  } finally {
    await lease.release();
  }
};

parentPort?.on('message', (order: ImporterOrder) => {
  if (order.kind === 'stop') stopping.abort(order.kind);
});

try {
  await run();
  tell({ kind: 'stopped' });
} catch (error) {
  tell(stopping.signal.aborted ? { kind: 'stopped' } : { kind: 'failed', fault: faultOf(error) });
} finally {
  // The open port would keep the thread alive.
  parentPort?.close();
}
