/** The data folder of the embedded server: made once by initdb, checked at every start. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { KagamiError } from '../../errors/kagami-error.ts';
import { type Binaries, programPath } from './binaries.ts';
import { startFault } from './start-fault.ts';
import { serverEnvironment, spawnAs } from './system-account.ts';

/**
 * How the server names its data folder. On Linux it starts inside the folder and calls it `/proc/self/cwd`, which works
 * even where its account may not walk the path (a project under /root).
 */
export const dataArgument = (folder: string): string => (process.platform === 'linux' ? '/proc/self/cwd' : folder);

/** True when the folder holds a finished cluster. */
export const hasCluster = (folder: string): boolean => existsSync(join(folder, 'PG_VERSION'));

/** Uid of the cluster's owner; undefined when there is no cluster. */
export const clusterOwner = (folder: string): number | undefined => statSync(folder, { throwIfNoEntry: false })?.uid;

export interface NewClusterOptions {
  readonly user: string;
  readonly password: string;
  /** False spares the flush of the new files to disk: for tests. */
  readonly sync: boolean;
}

/**
 * Makes the cluster beside its final place and moves it there when complete, so that an interrupted start leaves nothing
 * that looks like one.
 * @throws KagamiError EMBEDDED_POSTGRES_START_FAILED, EMBEDDED_POSTGRES_NO_MEMORY, DATA_FOLDER_FULL or
 *   DATA_FOLDER_UNUSABLE with what initdb said
 */
export const createCluster = (folder: string, binaries: Binaries, options: NewClusterOptions): void => {
  const partial = `${folder}.partial`;
  const passwordFile = `${folder}.password`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { mode: 0o700 });
  chmodSync(partial, 0o700);
  writeFileSync(passwordFile, options.password, { mode: 0o600 });
  if (binaries.account !== undefined) {
    chownSync(partial, binaries.account.uid, binaries.account.gid);
    chownSync(passwordFile, binaries.account.uid, binaries.account.gid);
  }
  const passwordDescriptor = openSync(passwordFile, 'r');
  try {
    // As with the folder: the open file is reachable through /proc whatever its path.
    const passwordArgument = process.platform === 'linux' ? '/proc/self/fd/3' : passwordFile;
    const { status, stdout, stderr, error } = spawnSync(
      programPath(binaries.folder, 'initdb'),
      [
        `--pgdata=${dataArgument(partial)}`,
        '--encoding=UTF8',
        '--locale=C',
        `--username=${options.user}`,
        '--auth=scram-sha-256',
        `--pwfile=${passwordArgument}`,
        '--no-instructions',
        ...(options.sync ? [] : ['--no-sync']),
      ],
      {
        cwd: partial,
        encoding: 'utf8',
        env: serverEnvironment(),
        stdio: ['ignore', 'pipe', 'pipe', passwordDescriptor],
        timeout: 120_000,
        ...spawnAs(binaries.account),
      },
    );
    if (status !== 0) {
      const output = [error?.message, stdout, stderr].filter(Boolean).join('\n').trim();
      throw startFault(`initdb could not make the data folder ${folder}`, { folder, output });
    }
    renameSync(partial, folder);
  } finally {
    closeSync(passwordDescriptor);
    rmSync(passwordFile, { force: true });
    rmSync(partial, { recursive: true, force: true });
  }
};

/**
 * Checks that these programs and this user can serve an existing cluster.
 * @throws KagamiError DATA_FOLDER_OTHER_VERSION, DATA_FOLDER_UNUSABLE
 */
export const checkCluster = (folder: string, binaries: Binaries): void => {
  const major = Number(readFileSync(join(folder, 'PG_VERSION'), 'utf8').trim());
  if (major !== binaries.major) {
    throw new KagamiError(
      'DATA_FOLDER_OTHER_VERSION',
      `The data in ${folder} were written by PostgreSQL ${major}; this Kagami brings PostgreSQL ${binaries.major}`,
      { details: { folder, dataMajor: major, programMajor: binaries.major } },
    );
  }
  const uid = binaries.account?.uid ?? process.getuid?.();
  const owner = clusterOwner(folder);
  if (uid !== undefined && owner !== uid) {
    throw new KagamiError(
      'DATA_FOLDER_UNUSABLE',
      `The data in ${folder} belong to uid ${owner}, but the server would run as uid ${uid}`,
      { details: { folder, owner, uid } },
    );
  }
};
