/**
 * One PostgreSQL for a whole test run, started by whichever worker first needs a database. Its folder is named by an
 * environment variable that global-setup.ts sets, so that all workers find it and it can be removed at the end.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../embedded/launcher.ts';
import { isPostmasterOf, processExists, readPostmaster } from '../embedded/postmaster-file.ts';

export const runFolderVariable = 'KAGAMI_TEST_RUN_FOLDER';
export const serverVariable = 'KAGAMI_TEST_DATABASE_URL';

const prefix = 'kagami-test-';
const ownerFile = 'owner.pid';

/** Settings for tests only: a power cut may lose everything. */
const careless = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', shared_buffers: '64MB' };

/** Makes the folder of a run; the server follows when it is needed. */
export const createRunFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  writeFileSync(join(folder, ownerFile), String(process.pid));
  return folder;
};

/** Stops the server of a run, if it was started, and removes the folder. */
export const removeRunFolder = async (folder: string): Promise<void> => {
  const cluster = join(folder, 'server', 'cluster');
  const postmaster = readPostmaster(cluster);
  if (postmaster !== undefined && isPostmasterOf(postmaster.pid, cluster)) {
    process.kill(postmaster.pid, 'SIGQUIT');
    for (let i = 0; i < 300 && isPostmasterOf(postmaster.pid, cluster); i += 1) await pause(20);
  }
  rmSync(folder, { recursive: true, force: true });
};

/** Removes what test runs left behind that were killed. */
export const removeAbandonedRuns = async (): Promise<void> => {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix))) {
    const folder = join(tmpdir(), name);
    try {
      const owner = Number(readFileSync(join(folder, ownerFile), 'utf8'));
      if (owner > 0 && !processExists(owner)) await removeRunFolder(folder);
    } catch {
      // another user's folder, or one that is being made or removed right now
    }
  }
};

/**
 * Runs `make` in one process and gives its outcome (kept in the file) to all: the folder beside the file is the lock.
 */
export const onceForRun = async (file: string, make: () => Promise<string>): Promise<string> => {
  const guard = `${file}.lock`;
  const deadline = Date.now() + 60_000;
  while (!existsSync(file)) {
    let mine = true;
    try {
      mkdirSync(guard);
    } catch {
      mine = false;
    }
    if (mine) {
      try {
        if (!existsSync(file)) {
          writeFileSync(`${file}.new`, await make());
          renameSync(`${file}.new`, file);
        }
      } finally {
        rmdirSync(guard);
      }
    } else {
      if (Date.now() > deadline) throw new Error(`Another worker has held ${guard} for a minute`);
      await pause(20);
    }
  }
  return readFileSync(file, 'utf8');
};

/** Address of the run's server as a superuser, database `postgres`. */
export const testServer = (runFolder: string): Promise<string> =>
  onceForRun(join(runFolder, 'server.url'), async () => {
    const server = await startEmbeddedPostgres({
      dataDir: join(runFolder, 'server'),
      settings: careless,
      sync: false,
    });
    return server.connectionString('postgres');
  });
