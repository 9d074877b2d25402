import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Setting } from '../config/setting.ts';
import { persistSettings } from '../config/settings/importer.ts';
import { createTestDatabase, type TestDatabase } from '../database/testing/test-database.fixture.ts';
import { readRecordFile } from '../streams/record-file.ts';
import { BlockTransformer, type DecodeProblem, type RecoverableError } from './block-transformer.ts';
import { CachedEntityLookup } from './entity-lookup.ts';
import { PrefetchedFileContents } from './file-contents.ts';
import { LedgerBatch } from './ledger-batch.ts';
import { decodeRecordItems } from './record-items.ts';
import type { PersistSettings } from './transaction-handler.ts';
import { transactionHandlers } from './transactions/registry.ts';
import { writeBatch } from './write/ledger-writer.ts';

const streams = join(import.meta.dirname, '../../../shared/streams');
const manifestPath = join(streams, 'manifest.json');

interface ManifestEntry {
  readonly path: string;
  readonly kind: string;
  readonly transactions: number;
  readonly consensusStart: string;
}

const persist = Object.fromEntries(
  Object.entries(persistSettings).map(([name, setting]) => [name, (setting as Setting<unknown>).default]),
) as PersistSettings;

/** Each set's record files in order of time, once each, whichever nodes' folders hold them. */
const recordSets = (): [string, ManifestEntry[]][] => {
  const entries = JSON.parse(readFileSync(manifestPath, 'utf8')) as ManifestEntry[];
  const sets = new Map<string, Map<string, ManifestEntry>>();
  for (const entry of entries) {
    if (entry.kind !== 'record' || !entry.path.startsWith('records/')) continue;
    const set = entry.path.split('/')[1] ?? '';
    const files = sets.get(set) ?? new Map<string, ManifestEntry>();
    files.set(basename(entry.path), entry);
    sets.set(set, files);
  }
  return [...sets].map(([set, files]) => [
    set,
    [...files.values()].toSorted((a, b) => (BigInt(a.consensusStart) < BigInt(b.consensusStart) ? -1 : 1)),
  ]);
};

describe.skipIf(!existsSync(manifestPath))('record files of networks', () => {
  let test: TestDatabase;
  beforeEach(async () => {
    test = await createTestDatabase();
  });
  afterEach(() => test.drop());

  const importFiles = async (files: readonly ManifestEntry[]): Promise<RecoverableError[]> => {
    const lookup = new CachedEntityLookup({ shard: 0n, realm: 0n });
    const transformer = new BlockTransformer({
      handlers: transactionHandlers,
      lookup,
      files: new PrefetchedFileContents(),
      persist,
      network: { shard: 0n, realm: 0n },
    });
    const errors: RecoverableError[] = [];
    let index = 0n;
    for (const { path } of files) {
      const file = readRecordFile(basename(path), readFileSync(join(streams, path)));
      const batch = new LedgerBatch({ entityHistory: true, entityStaged: lookup.entityStaged });
      lookup.useBatch(batch);
      const problems: DecodeProblem[] = [];
      const items = decodeRecordItems(file, (item, message) => problems.push({ item, message }));
      await lookup.prefetch(test.database, items);
      const block = { file, index: file.blockNumber ?? index++, loadStart: 1n, loadEnd: 2n };
      errors.push(...transformer.transform(block, items, batch, problems).errors);
      await test.database.transaction((client) => writeBatch(client, batch));
    }
    return errors;
  };

  it.each(existsSync(manifestPath) ? recordSets() : [])(
    '%s: every transaction is stored',
    { timeout: 60_000 },
    async (_, files) => {
      await importFiles(files);
      const expected = files.reduce((sum, { transactions }) => sum + transactions, 0);
      const counted = await test.database.query(
        'select (select count(*) from transaction) as transactions, (select sum(count) from record_file) as counted, ' +
          '(select count(*) from record_file) as files, ' +
          // A network's first transactions create the treasury with all there is, out of nothing.
          '(select count(*) from (select from crypto_transfer group by consensus_timestamp ' +
          'having sum(amount) not in (0, 5000000000000000000)) u) as unbalanced, ' +
          '(select count(*) from entity where lower(timestamp_range) is null) as rangeless',
      );
      expect(counted).toEqual([
        {
          transactions: String(expected),
          counted: String(expected),
          files: String(files.length),
          unbalanced: '0',
          rangeless: '0',
        },
      ]);
    },
  );
});
