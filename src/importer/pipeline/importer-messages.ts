import type { KagamiError } from '../../errors/kagami-error.ts';
import type { NetworkIds } from './address-books.ts';
import type { CommittedBlocks } from './block-commit.ts';
import type { ImporterSettings } from './importer.ts';

/** What the importer's thread is started with. Plain data, so that it can be sent between threads. */
export interface ImporterTask {
  /** Connection of the owner of the ledger tables. */
  readonly connectionString: string;
  /** Schema of the ledger tables; the server's default when absent. */
  readonly schema?: string;
  /** Folder with the stream files. */
  readonly folder: string;
  readonly settings: ImporterSettings;
  readonly network: NetworkIds;
  /** A serialized NodeAddressBook that proves the first files of an empty database. */
  readonly initialAddressBook?: Uint8Array;
  readonly follow: boolean;
  readonly trustUnsigned: boolean;
  /** Goes on where files are missing between two proven ones; only when not following. */
  readonly acceptGaps?: boolean;
  /** Who writes, as another importer that waits shows it. */
  readonly holder: string;
}

/** An error as it crosses the threads' border. */
export interface Fault {
  readonly code: KagamiError['code'] | 'UNEXPECTED';
  readonly message: string;
  readonly hint: string;
  readonly retryable: boolean;
  readonly stack: string | undefined;
}

/** What the importer's thread tells. */
export type ImporterMessage =
  /** Another importer writes to this database; this one takes over when that one ends. */
  | { readonly kind: 'standby'; readonly holder: string }
  | { readonly kind: 'importing' }
  | { readonly kind: 'committed'; readonly blocks: CommittedBlocks; readonly heapBytes: number }
  | { readonly kind: 'waiting'; readonly file: string; readonly fault: Fault }
  | { readonly kind: 'skipped'; readonly file: string; readonly fault: Fault }
  | { readonly kind: 'retrying'; readonly fault: Fault; readonly pauseMs: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly fault: Fault };

/** What the importer's thread is told. */
export type ImporterOrder = { readonly kind: 'stop' };
