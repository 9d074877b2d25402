import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nativeFolder, programPath } from '../../database/embedded/binaries.ts';
import { hasCluster } from '../../database/embedded/cluster.ts';
import { loadCredentials } from '../../database/embedded/credentials.ts';
import { isPostmasterOf, readPostmaster } from '../../database/embedded/postmaster-file.ts';
import { isKagamiError } from '../../errors/kagami-error.ts';
import { type Finding, fail, ok } from './finding.ts';

const subject = 'embedded PostgreSQL';

export interface EmbeddedFindings {
  readonly finding: Finding;
  /** Port and owner of the server while it runs. */
  readonly running?: { readonly port: number; readonly username: string; readonly password: string };
}

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
    const postmaster = readPostmaster(cluster);
    if (postmaster?.status !== 'ready' || !isPostmasterOf(postmaster.pid, cluster)) {
      return { finding: ok(subject, `version ${major}, not running; its data is in ${cluster}`) };
    }
    const { owner } = loadCredentials(folder, true);
    return {
      finding: ok(subject, `version ${major}, running on port ${postmaster.port}`),
      running: { port: postmaster.port, ...owner },
    };
  } catch (error) {
    const advice = isKagamiError(error) ? error.hint : 'Run doctor as the user that runs Kagami.';
    return { finding: fail(subject, (error as Error).message, advice) };
  }
};
