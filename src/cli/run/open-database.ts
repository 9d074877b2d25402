/** Opens the database of the settings, starting the embedded server when that is the one. */
import type { Logger } from 'pino';
import { type DatabaseAddresses, settlePreferredTls } from '../../database/connect-options.ts';
import { startEmbeddedPostgres } from '../../database/embedded/launcher.ts';
import { embeddedAddresses } from '../../database/prepare.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { ReadySettings } from '../command-context.ts';
import { externalTarget, placeOf } from './database-target.ts';

export interface DatabaseAccess {
  readonly addresses: DatabaseAddresses;
  /** For people: `PostgreSQL 18.4, embedded on port 40123 and a Unix socket` or `PostgreSQL at db:5432/mirror_node`. */
  readonly description: string;
  /** Stops the embedded server; does nothing for others. */
  stop(): Promise<void>;
}

/**
 * @param folder where the embedded server keeps its data
 * @throws KagamiError of the embedded server, DATABASE_... when an external one does not answer, CONFIG_INVALID
 */
export const openDatabaseAccess = async (
  ready: ReadySettings,
  folder: string,
  logger: Logger,
): Promise<DatabaseAccess> => {
  const external = externalTarget(ready);
  if (external) {
    const [owner, writer, reader] = await Promise.all([
      settlePreferredTls(external.owner),
      settlePreferredTls(external.writer),
      settlePreferredTls(external.reader),
    ]);
    const addresses = { ...external, owner, writer, reader };
    return { addresses, description: `PostgreSQL at ${placeOf(reader)}`, stop: async () => undefined };
  }
  if (!ready.settings.kagami.roles.includes('importer')) {
    throw new KagamiError(
      'CONFIG_INVALID',
      'A process without the role importer needs a database that others share: set --database or hiero.mirror.rest.db',
      { details: { setting: 'kagami.roles' } },
    );
  }
  const server = await startEmbeddedPostgres({ dataDir: folder, logger });
  try {
    const addresses = await embeddedAddresses(server);
    const socket = server.socketFolder === undefined ? '' : ' and a Unix socket';
    const description = `PostgreSQL ${server.version}, embedded on port ${server.port}${socket}`;
    return { addresses, description, stop: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
};
