/** What an import needs of a block stream, and the proven blocks of it. */

import type { Database } from '../../database/connection.ts';
import type { KagamiError } from '../../errors/kagami-error.ts';
import type { BlockMeasurement } from '../../sources/block-measurement.ts';
import type { BlockOrigin } from '../../sources/block-origin.ts';
import type { Electorate } from '../../sources/electorate.ts';
import type { VerifiedRecordFile } from '../../sources/verified-record-files.ts';
import type { LedgerTrust } from '../../streams/block/trust.ts';
import { readBlockChain } from './block-chain.ts';
import { readKeptBlock } from './block-corrections.ts';
import type { BlockReader } from './block-reader.ts';
import { readLedger } from './block-trust.ts';
import type { ChainPosition } from './chain-position.ts';
import type { CommitGate } from './commit-gate.ts';
import type { ImportRange } from './import-range.ts';
import type { ImporterSettings } from './importer-settings.ts';
import { provenBlocks } from './proven-blocks.ts';

export interface BlockStream {
  /** The preferred one first. */
  readonly origins: readonly BlockOrigin[];
  /** Makes the thread that proves blocks. Each walk has one of its own, since it remembers where the chain stands. */
  readonly openReader: () => BlockReader;
  /** The ledger that is believed until it tells its id itself. */
  readonly ledger: LedgerTrust | null;
}

export interface BlockStreamContext {
  readonly database: Database;
  readonly blocks: BlockStream;
  readonly settings: ImporterSettings;
  readonly range: ImportRange;
  readonly gate: CommitGate;
  readonly electorate: () => Electorate;
  readonly follow: boolean;
  readonly trustUnsigned?: boolean;
  readonly acceptGaps?: boolean;
  readonly events?: { readonly measured?: (measurement: BlockMeasurement) => void };
}

export interface BlockStreamEvents {
  readonly waiting?: (file: string, reason: KagamiError) => void;
  readonly proceeding?: () => void;
}

/** The proven blocks behind `last`, until `signal`. */
export async function* blocksAfter(
  last: ChainPosition | undefined,
  context: BlockStreamContext,
  signal: AbortSignal,
  events: BlockStreamEvents,
): AsyncGenerator<VerifiedRecordFile> {
  const { database, blocks, settings, range, gate, electorate, follow } = context;
  const { block } = settings;
  const reader = blocks.openReader();
  try {
    yield* provenBlocks({
      origins: blocks.origins,
      reader,
      last,
      chain: await readBlockChain(database, last),
      first: range.firstBlock,
      to: range.lastBlock,
      kept: (number) => readKeptBlock(database, number),
      ledger: async () => (await readLedger(database)) ?? blocks.ledger,
      electorate,
      trustUnsigned: context.trustUnsigned ?? false,
      limits: { maxContentBytes: block.stream.maxBlockSize, maxItems: block.stream.maxBlockItems },
      persistBytes: block.persistBytes,
      follow,
      acceptGaps: context.acceptGaps ?? false,
      gate,
      minPauseMs: block.frequency,
      signal,
      onWaiting: events.waiting,
      onProceeding: events.proceeding,
      onMeasured: context.events?.measured,
    });
  } finally {
    await reader.close();
  }
}
