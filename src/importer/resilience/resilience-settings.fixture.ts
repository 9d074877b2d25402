import type { ImporterSettings } from '../pipeline/importer-settings.ts';
import { defaultImporterSettings } from '../pipeline/testing/import-run.fixture.ts';

const POLL_MS = 40;
/** Milliseconds without anything new after which an importer asks the other stream, or suspects a node. */
const CUTOVER_MS = 400;
const SILENCE_MS = 1_000;

/** The part of a ledger that is imported, and whether wrapped record blocks come before record files. */
export interface ResilienceRange {
  readonly startBlockNumber?: number;
  readonly endBlockNumber?: number;
  readonly firstStage?: boolean;
}

/** Settings of every import of these tests: everything that can be kept is kept, and pauses are short. */
export const resilienceSettings = (maxFiles: number, range: ResilienceRange = {}): ImporterSettings => {
  const { downloader, parser, block } = defaultImporterSettings;
  const { record } = parser;
  const { startBlockNumber, endBlockNumber, firstStage = false } = range;
  return {
    ...defaultImporterSettings,
    startBlockNumber: BigInt(startBlockNumber ?? -1),
    endBlockNumber: BigInt(endBlockNumber ?? -1),
    downloader: { ...downloader, timeout: SILENCE_MS, record: { ...downloader.record, frequency: POLL_MS } },
    block: {
      ...block,
      frequency: POLL_MS,
      stream: { ...block.stream, responseTimeout: SILENCE_MS, readmitDelay: SILENCE_MS },
      scheduler: {
        ...block.scheduler,
        minRescheduleInterval: SILENCE_MS,
        latency: { ...block.scheduler.latency, frequency: SILENCE_MS, timeout: SILENCE_MS },
      },
      cutover: {
        ...block.cutover,
        threshold: CUTOVER_MS,
        firstStage: {
          ...block.cutover.firstStage,
          enabled: firstStage,
          hapiVersion: '0.75.0',
          latencyCheckThreshold: SILENCE_MS,
        },
      },
    },
    parser: {
      ...parser,
      record: {
        ...record,
        batch: { ...record.batch, maxFiles },
        retry: { minBackoff: 20, maxBackoff: 200 },
        sidecar: { ...record.sidecar, enabled: true },
      },
    },
  };
};
