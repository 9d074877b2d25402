import type { ImporterSettings } from '../pipeline/importer.ts';
import { defaultImporterSettings } from '../pipeline/testing/import-run.fixture.ts';

const POLL_MS = 40;

/** Settings of every import of these tests: everything that can be kept is kept, and pauses are short. */
export const resilienceSettings = (maxFiles: number): ImporterSettings => {
  const { downloader, parser } = defaultImporterSettings;
  const { record } = parser;
  return {
    ...defaultImporterSettings,
    downloader: { ...downloader, record: { ...downloader.record, frequency: POLL_MS } },
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
