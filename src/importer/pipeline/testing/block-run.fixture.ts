import { acquireWriter } from '../../../database/fencing.ts';
import type { TestDatabase } from '../../../database/testing/test-database.fixture.ts';
import type { BlockStreamLocation } from '../../../sources/block-stream-location.ts';
import { FolderSource } from '../../../sources/folder-source.ts';
import { openBlockOrigins } from '../../../sources/open-block-origins.ts';
import { parseAddressBook } from '../../../streams/address-book.ts';
import { BlockReader } from '../block-reader.ts';
import { configuredLedger } from '../block-trust.ts';
import { type ImportEvents, runImporter } from '../importer.ts';
import type { ImporterSettings } from '../importer-settings.ts';
import { defaultImporterSettings } from './import-run.fixture.ts';

export interface BlockRun {
  readonly location: Partial<BlockStreamLocation>;
  /** Record files beside the blocks, for a cutover. */
  readonly records?: string;
  readonly addressBook?: Uint8Array | undefined;
  /** File with the publication of the ledger id. */
  readonly ledgerIdFile?: string;
  readonly follow?: boolean;
  readonly trustUnsigned?: boolean;
  readonly acceptGaps?: boolean;
  readonly settings?: ImporterSettings;
  /** Shard 0, realm 0 by default. */
  readonly network?: { readonly shard: bigint; readonly realm: bigint };
  readonly events?: ImportEvents;
  readonly signal?: AbortSignal;
}

/** Imports blocks, in this thread but for their proofs. */
export const importBlocks = async (target: TestDatabase, run: BlockRun): Promise<void> => {
  const { records, settings = defaultImporterSettings, addressBook } = run;
  const follow = run.follow ?? false;
  const lease = await acquireWriter({ connectionString: target.connectionString });
  const location: BlockStreamLocation = {
    sourceType: 'AUTO',
    nodes: [],
    discoversNodes: false,
    files: undefined,
    network: 'other',
    ...run.location,
  };
  const origins = openBlockOrigins(location, {
    settings: settings.block,
    timeoutMs: settings.downloader.timeout,
    batchSize: settings.downloader.batchSize,
  });
  const source = records === undefined ? undefined : new FolderSource(records, { watch: follow });
  try {
    await runImporter({
      database: target.database,
      lease,
      source,
      blocks: {
        origins,
        openReader: () => new BlockReader(),
        ledger: await configuredLedger(run.ledgerIdFile ?? '', ''),
      },
      settings,
      network: run.network ?? { shard: 0n, realm: 0n },
      follow,
      trustUnsigned: run.trustUnsigned ?? false,
      acceptGaps: run.acceptGaps ?? false,
      acceptMissingSidecars: true,
      initialAddressBook: addressBook === undefined ? undefined : parseAddressBook(addressBook, run.network ?? {}),
      events: run.events ?? {},
      ...(run.signal === undefined ? {} : { signal: run.signal }),
    });
  } finally {
    for (const origin of origins) origin.close();
    source?.close();
    await lease.release();
  }
};
