import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nativeFolder, programPath } from '../../database/embedded/binaries.ts';
import { clusterOwner, hasCluster } from '../../database/embedded/cluster.ts';
import { loadCredentials } from '../../database/embedded/credentials.ts';
import { isPostmasterOf, readPostmaster } from '../../database/embedded/postmaster-file.ts';
import { socketFolder } from '../../database/embedded/unix-socket.ts';
import { isKagamiError, KagamiError } from '../../errors/kagami-error.ts';
import { type Finding, fail, ok } from './finding.ts';

const subject = 'embedded PostgreSQL';

export interface EmbeddedFindings {
  readonly finding: Finding;
  /** Port and owner of the server while it runs. */
  readonly running?: { readonly port: number; readonly username: string; readonly password: string };
}

/** Major version of PostgreSQL in the package of the programs. */
const majorOfPrograms = (native: string): string | undefined => {
  const { version } = JSON.parse(readFileSync(join(dirname(native), 'package.json'), 'utf8')) as { version?: string };
  return version?.split('.', 1)[0];
};

const socketNote = (cluster: string, port: number): string =>
  socketFolder(cluster, port) === undefined
    ? ', without a Unix socket, which the data path is too long for or this system lacks'
    : ' and a Unix socket';

/** Whether the programs for this platform are installed, and whether the server runs now. */
export const checkEmbedded = (folder: string): EmbeddedFindings => {
  try {
    const programs = nativeFolder();
    if (!existsSync(programPath(programs, 'postgres'))) {
      return { finding: fail(subject, `${programs} lacks the programs`, 'Install again: npm ci.') };
    }
    const cluster = join(folder, 'cluster');
    if (!hasCluster(cluster)) return { finding: ok(subject, `installed; the first start makes ${cluster}`) };
    const major = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
    const ours = majorOfPrograms(programs);
    if (ours !== undefined && major !== ours) {
      const { hint } = new KagamiError('DATA_FOLDER_OTHER_VERSION', '');
      return { finding: fail(subject, `${cluster} is of PostgreSQL ${major}, the programs are of ${ours}`, hint) };
    }
    const [owner, user] = [clusterOwner(cluster), process.getuid?.()];
    // The server of root runs under the account that owns the data.
    if (user !== undefined && user !== 0 && owner !== user) {
      const { hint } = new KagamiError('DATA_FOLDER_UNUSABLE', '');
      return { finding: fail(subject, `${cluster} belongs to user ${owner}, this is user ${user}`, hint) };
    }
    const credentials = loadCredentials(folder, true);
    const postmaster = readPostmaster(cluster);
    if (postmaster?.status !== 'ready' || !isPostmasterOf(postmaster.pid, cluster)) {
      return { finding: ok(subject, `version ${major}, not running; its data is in ${cluster}`) };
    }
    return {
      finding: ok(
        subject,
        `version ${major}, running on port ${postmaster.port}${socketNote(cluster, postmaster.port)}`,
      ),
      running: { port: postmaster.port, ...credentials.owner },
    };
  } catch (error) {
    const advice = isKagamiError(error) ? error.hint : 'Run doctor as the user that runs Kagami.';
    return { finding: fail(subject, (error as Error).message, advice) };
  }
};
