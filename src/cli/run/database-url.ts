/** `kagami database-url`: where the database is, for other programs. */
import { loadCredentials } from '../../database/embedded/credentials.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { CommandContext, ReadySettings } from '../command-context.ts';
import { checkEmbedded } from '../doctor/embedded-check.ts';
import { dataFolders } from './data-folders.ts';
import { externalTarget } from './database-target.ts';

/** @throws KagamiError DATABASE_UNAVAILABLE while the embedded server does not run */
export const runDatabaseUrl = (
  { terminal, cwd }: CommandContext,
  ready: ReadySettings,
  { owner = false }: { readonly owner?: boolean },
): void => {
  const external = externalTarget(ready);
  const url =
    external === undefined
      ? embeddedUrl(dataFolders(ready.settings.kagami.dataPath, cwd).postgres, owner)
      : forLibpq(owner ? external.owner : external.reader);
  terminal.out(`${url}\n`);
};

const embeddedUrl = (folder: string, owner: boolean): string => {
  const { finding, running } = checkEmbedded(folder);
  if (running === undefined) {
    throw new KagamiError(
      'DATABASE_UNAVAILABLE',
      `The embedded PostgreSQL does not run, as it does while kagami start runs with this data folder: ${finding.message}`,
    );
  }
  const credentials = loadCredentials(folder, true);
  const { username, password } = owner ? credentials.owner : credentials.reader;
  return `postgresql://${encodeURIComponent(username)}:${encodeURIComponent(password)}@127.0.0.1:${running.port}/mirror_node`;
};

/** Without what only our own driver knows. */
const forLibpq = (address: string): string => {
  const url = new URL(address);
  url.searchParams.delete('uselibpqcompat');
  return url.href;
};
