/** What the verification of contracts needs, for the database and the network at hand. */
import { join } from 'node:path';
import { openDatabase } from '../../database/connection.ts';
import type { VerificationOptions } from '../../server/verification.ts';
import type { ReadySettings } from '../command-context.ts';
import type { DataFolders } from './data-folders.ts';
import type { DatabaseAccess } from './open-database.ts';
import { chainIdOf, evmNetwork } from './simulation-threads.ts';

const MOST_CONNECTIONS = 4;

const CHAIN_SETTING = 'hiero.mirror.rest.chainId';

/** The chain that the interface is told to show, else the one of the network. */
const chainId = (ready: ReadySettings): bigint =>
  ready.origins.has(CHAIN_SETTING) ? BigInt(ready.settings.hiero.mirror.rest.chainId) : chainIdOf[evmNetwork(ready)];

export const verificationOptions = (
  ready: ReadySettings,
  access: Promise<DatabaseAccess>,
  folders: DataFolders,
): VerificationOptions => {
  const { settings } = ready;
  const { shard, realm } = settings.hiero.mirror.common;
  const database = access.then(({ addresses }) =>
    openDatabase({
      connectionString: addresses.writer,
      schema: addresses.schema,
      max: MOST_CONNECTIONS,
      applicationName: 'kagami verification',
    }),
  );
  database.catch(() => undefined);
  const network = evmNetwork(ready);
  return {
    database,
    network: { chainId: chainId(ready).toString(), name: network.toLowerCase(), shard, realm },
    settings: settings.kagami.verification,
    compilersFolder: join(folders.root, 'compilers'),
  };
};
