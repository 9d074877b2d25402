/** What the verification of contracts needs, for the database and the network at hand. */
import { join } from 'node:path';
import { openDatabase } from '../../database/connection.ts';
import type { VerificationOptions } from '../../server/verification.ts';
import type { ReadySettings } from '../command-context.ts';
import type { DataFolders } from './data-folders.ts';
import type { MirroredChain } from './mirrored-chain.ts';
import type { DatabaseAccess } from './open-database.ts';

const MOST_CONNECTIONS = 4;

export const verificationOptions = (
  ready: ReadySettings,
  access: Promise<DatabaseAccess>,
  folders: DataFolders,
  { network, chainId }: MirroredChain,
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
  return {
    database,
    network: { chainId: chainId.toString(), name: network.toLowerCase(), shard, realm },
    settings: settings.kagami.verification,
    compilersFolder: join(folders.root, 'compilers'),
  };
};
