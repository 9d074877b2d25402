/** What the verification of contracts needs, for the database and the network at hand. */
import { join } from 'node:path';
import { openDatabase } from '../../database/connection.ts';
import type { VerificationOptions } from '../../server/verification.ts';
import type { ReadySettings } from '../command-context.ts';
import type { DataFolders } from './data-folders.ts';
import type { MirroredChain } from './mirrored-chain.ts';
import type { DatabaseAccess } from './open-database.ts';
import { namedNetwork } from './source-choice.ts';

const MOST_CONNECTIONS = 4;

const publicNames: Readonly<Partial<Record<MirroredChain['network'], string>>> = {
  MAINNET: 'Hedera Mainnet',
  PREVIEWNET: 'Hedera Previewnet',
  TESTNET: 'Hedera Testnet',
};

/** What people call the network whose contracts are verified. */
export const chainName = (
  ready: Pick<ReadySettings, 'settings' | 'origins'>,
  network: MirroredChain['network'],
): string => {
  const { kind, folder } = ready.settings.kagami.source;
  const isSimulated = kind === 'simulator' || (kind === 'auto' && folder === '' && namedNetwork(ready) === undefined);
  return publicNames[network] ?? (isSimulated ? 'Simulated network' : 'Hiero network');
};

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
    network: { chainId: chainId.toString(), name: chainName(ready, network), shard, realm },
    settings: settings.kagami.verification,
    compilersFolder: join(folders.root, 'compilers'),
  };
};
