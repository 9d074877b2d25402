import type { BlockMeasurement } from '../../sources/block-measurement.ts';
import type { BlockStreamLocation } from '../../sources/block-stream-location.ts';
import type { SourceLocation } from '../../sources/source-location.ts';
import type { LedgerTrust } from '../../streams/block/trust.ts';
import type { InitialBalances } from '../balances/initial-balances.ts';
import type { IndexProgress } from '../bulk/deferred-indexes.ts';
import type { Pruned } from '../maintenance/retention.ts';
import type { NetworkIds } from './address-books.ts';
import type { CommittedBlocks } from './block-commit.ts';
import type { StreamKind } from './cutover.ts';
import type { Fault } from './fault.ts';
import type { ImporterSettings } from './importer-settings.ts';
import type { StopState } from './stop-record.ts';

/** What the importer's thread is started with. Plain data, so that it can be sent between threads. */
export interface ImporterTask {
  /** Connection of the owner of the ledger tables. */
  readonly connectionString: string;
  /** Schema of the ledger tables; the server's default when absent. */
  readonly schema?: string;
  /** Record files; absent where there are only blocks. */
  readonly source?: SourceLocation | undefined;
  /** Blocks; beside `source`, the import goes over from those to these when the network does. */
  readonly blocks?: BlockStreamTask | undefined;
  /** Consensus time in nanoseconds at which an empty database begins without `startDate`; the stream's beginning if absent. */
  readonly beginsAt?: bigint;
  readonly settings: ImporterSettings;
  readonly network: NetworkIds;
  /** A serialized NodeAddressBook that proves the first files of an empty database. */
  readonly initialAddressBook?: Uint8Array;
  readonly follow: boolean;
  readonly trustUnsigned: boolean;
  /** Goes on where files are missing between two proven ones. */
  readonly acceptGaps?: boolean;
  /** Leaves out sidecar files that no node has. */
  readonly acceptMissingSidecars?: boolean;
  /** Loads into tables without secondary indexes and builds those at the end; only when not following. */
  readonly bulk?: boolean;
  /** Who writes, as another importer that waits shows it. */
  readonly holder: string;
}

export interface BlockStreamTask {
  readonly location: BlockStreamLocation;
  /** The ledger that is believed until it tells its id itself. */
  readonly ledger: LedgerTrust | null;
}

/** What the importer's thread tells. */
export type ImporterMessage =
  /** Another importer writes to this database; this one takes over when that one ends. */
  | { readonly kind: 'standby'; readonly holder: string }
  | { readonly kind: 'importing' }
  /** An index is being built that a bulk import left out. */
  | { readonly kind: 'indexing'; readonly index: IndexProgress }
  | { readonly kind: 'committed'; readonly blocks: CommittedBlocks; readonly heapBytes: number }
  /** The import has stood still for a while, for this reason; `resumed` ends that. */
  | { readonly kind: 'standstill'; readonly state: StopState; readonly file: string | null; readonly fault: Fault }
  | { readonly kind: 'resumed' }
  /** Which stream is read from now on, where the network may go over from record files to blocks. */
  | { readonly kind: 'stage'; readonly stream: StreamKind }
  /** A block was proven or refused, or its source failed. */
  | { readonly kind: 'measured'; readonly measurement: BlockMeasurement }
  | { readonly kind: 'skipped'; readonly file: string; readonly fault: Fault }
  | { readonly kind: 'retrying'; readonly fault: Fault; readonly pauseMs: number }
  /** Work beside the import failed; the import goes on. */
  | { readonly kind: 'job-failed'; readonly job: string; readonly fault: Fault }
  /** Balance files and transfers disagree. */
  | { readonly kind: 'disagreed'; readonly error: string }
  /** How many entities and associations got their balances from the first balance file. */
  | { readonly kind: 'balances-initialized'; readonly balances: InitialBalances }
  /** Old rows are gone: after each step of a pass over the database, and all of the pass together. */
  | { readonly kind: 'pruning' | 'pruned'; readonly pruned: Pruned }
  /** The writer's lock is gone: the thread ends, unless it waits for a server that doesn't answer. */
  | { readonly kind: 'lock-lost' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly fault: Fault };

/** What the importer's thread is told. */
export type ImporterOrder = { readonly kind: 'stop' };
