import { isSetting, type Setting, type SettingGroup, type SettingsOf } from '../../../config/setting.ts';
import { importerSettings } from '../../../config/settings/importer.ts';
import { acquireWriter } from '../../../database/fencing.ts';
import type { TestDatabase } from '../../../database/testing/test-database.fixture.ts';
import { FolderSource } from '../../../sources/folder-source.ts';
import { parseAddressBook } from '../../../streams/address-book.ts';
import type { CommittedBlocks } from '../block-commit.ts';
import { runImporter } from '../importer.ts';
import type { ImporterSettings } from '../importer-settings.ts';

const defaultsOf = (node: Setting<unknown> | SettingGroup): unknown =>
  isSetting(node)
    ? node.default
    : Object.fromEntries(Object.entries(node).map(([name, child]) => [name, defaultsOf(child)]));

export const defaultImporterSettings = defaultsOf(importerSettings) as SettingsOf<typeof importerSettings>;

export interface ImportRun {
  readonly folder: string;
  readonly addressBook?: Uint8Array | undefined;
  readonly trustUnsigned?: boolean;
  readonly acceptGaps?: boolean;
  readonly settings?: ImporterSettings;
  readonly committed?: (blocks: CommittedBlocks) => void;
}

/** Imports a folder once, in this thread. */
export const importFolder = async (target: TestDatabase, run: ImportRun): Promise<void> => {
  const lease = await acquireWriter({ connectionString: target.connectionString });
  const source = new FolderSource(run.folder);
  try {
    await runImporter({
      database: target.database,
      lease,
      source,
      settings: run.settings ?? defaultImporterSettings,
      network: { shard: 0n, realm: 0n },
      follow: false,
      trustUnsigned: run.trustUnsigned ?? false,
      acceptGaps: run.acceptGaps ?? false,
      acceptMissingSidecars: true,
      initialAddressBook: run.addressBook === undefined ? undefined : parseAddressBook(run.addressBook),
      events: run.committed === undefined ? {} : { committed: run.committed },
    });
  } finally {
    source.close();
    await lease.release();
  }
};
