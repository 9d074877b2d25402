/**
 * The embedded PostgreSQL: a server of our own from the npm package, with its data in Kagami's data path. Owns the
 * programs, the data folder, its lock and the process; what lies in the databases is the migrations' business.
 *
 * Layout of the data path: `cluster/` (PostgreSQL's own, 0700), `credentials.json` (0600), `postgres.log`, `kagami.lock`.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { KagamiError } from '../../errors/kagami-error.ts';
import { type Binaries, programPath, usableBinaries } from './binaries.ts';
import { checkCluster, clusterOwner, createCluster, dataArgument, hasCluster } from './cluster.ts';
import { type Credentials, type EmbeddedCredentials, loadCredentials } from './credentials.ts';
import { lockDataFolder } from './data-lock.ts';
import { isPostmasterOf, type Postmaster, postmasterFile, processExists, readPostmaster } from './postmaster-file.ts';
import { serverSettings, settingArguments } from './server-settings.ts';
import { folderFault, startFault } from './start-fault.ts';
import { accountCandidates, serverEnvironment, spawnAs } from './system-account.ts';
import { removeStaleSockets, socketDirectories, socketFolder } from './unix-socket.ts';

/** The part of a logger that the launcher uses (pino has it). */
interface LauncherLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export interface EmbeddedPostgresOptions {
  /** Folder for everything of the embedded server; made when missing. */
  readonly dataDir: string;
  readonly logger?: LauncherLogger;
  /** Server settings that replace or extend the usual ones. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A fixed port; absent: a random free one (an adopted server keeps its own). */
  readonly port?: number;
  /** False: initdb does not flush to disk. For tests. */
  readonly sync?: boolean;
  /** Another place of the programs than the installed package. */
  readonly nativeFolder?: string;
  /** Where a readable copy of the programs may go. */
  readonly copyFolders?: readonly string[];
  /** Milliseconds for an ordinary stop; what still runs then is ended at once, and recovers at the next start. */
  readonly stopPatienceMs?: number;
}

export interface EmbeddedPostgres {
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  readonly version: string;
  readonly credentials: EmbeddedCredentials;
  readonly logFile: string;
  /** Folder of the server's Unix socket; undefined: it has none. */
  readonly socketFolder: string | undefined;
  /** True when initdb made the data folder in this start. */
  readonly created: boolean;
  /** True when the server ran already, left over from a killed Kagami. */
  readonly adopted: boolean;
  /** `postgresql://...` for a database, as the owner or the given user, by TCP. */
  connectionString(database: string, user?: Credentials): string;
  /** The same by the server's Unix socket; by TCP where it has none. For programs of this user on this machine. */
  nearestConnectionString(database: string, user?: Credentials): string;
  /** Stops the server (open transactions are rolled back) and frees the data folder. Idempotent. */
  stop(): Promise<void>;
}

const host = '127.0.0.1';
const pollMs = 15;
const startTimeoutMs = 120_000;
const usualStopPatienceMs = 60_000;
/** For each of the harder ways to end a server that does not stop. */
const endPatienceMs = 10_000;
const largestLogBytes = 10_000_000;

/** @param at host name or address, or the folder of a Unix socket, as libpq has it */
const connectionString = (
  port: number,
  database: string,
  { username, password }: Credentials,
  at: string = host,
): string =>
  `postgresql://${encodeURIComponent(username)}:${encodeURIComponent(password)}@${encodeURIComponent(at)}:${port}/${encodeURIComponent(database)}`;

const freePort = (): Promise<number> =>
  new Promise((fulfil, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() => fulfil(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

/** What was written to the log since it had this length. */
const logSince = (file: string, length: number): string => {
  try {
    return readFileSync(file).subarray(length).toString('utf8').trimEnd();
  } catch {
    return '';
  }
};

const lengthOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

const answers = async (port: number, owner: Credentials): Promise<boolean> => {
  const client = new pg.Client({
    connectionString: connectionString(port, 'postgres', owner),
    connectionTimeoutMillis: 5_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
};

/** Waits for a server that is on its way up or down; gives its final state, undefined when it is gone. */
const settle = async (cluster: string): Promise<Postmaster | undefined> => {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const postmaster = readPostmaster(cluster);
    if (postmaster === undefined || !isPostmasterOf(postmaster.pid, cluster)) return undefined;
    if (postmaster.status === 'ready' || Date.now() > deadline) return postmaster;
    await pause(pollMs);
  }
};

/** A server that runs on this data folder already and takes our password. */
const adoptable = async (cluster: string, owner: Credentials): Promise<Postmaster | undefined> => {
  const postmaster = await settle(cluster);
  if (postmaster === undefined) {
    // The file of a server that died stays. PostgreSQL clears it unless another process got the id meanwhile.
    const stale = readPostmaster(cluster);
    if (stale !== undefined && processExists(stale.pid)) rmSync(postmasterFile(cluster), { force: true });
    return undefined;
  }
  if (postmaster.status !== 'ready' || !(await answers(postmaster.port, owner))) {
    throw new KagamiError(
      'EMBEDDED_POSTGRES_START_FAILED',
      `A PostgreSQL with process id ${postmaster.pid} runs on ${cluster} but does not answer`,
      { details: { pid: postmaster.pid, port: postmaster.port, status: postmaster.status } },
    );
  }
  return postmaster;
};

interface Launch {
  readonly cluster: string;
  readonly binaries: Binaries;
  readonly logFile: string;
  readonly options: EmbeddedPostgresOptions;
}

/** Starts the server once; undefined when it ended before it was ready. */
const launchOnce = async ({ cluster, binaries, logFile, options }: Launch): Promise<Postmaster | undefined> => {
  const port = options.port ?? (await freePort());
  removeStaleSockets(cluster);
  const log = openSync(logFile, 'a', 0o600);
  let child: ChildProcess;
  try {
    child = spawn(
      programPath(binaries.folder, 'postgres'),
      [
        '-D',
        dataArgument(cluster),
        '-p',
        String(port),
        ...settingArguments({
          ...serverSettings,
          unix_socket_directories: socketDirectories(cluster, dataArgument(cluster)),
          ...options.settings,
        }),
      ],
      {
        cwd: cluster,
        env: serverEnvironment(),
        // Away from our terminal: Ctrl-C must reach Kagami alone, which then stops the server in good order.
        detached: true,
        stdio: ['ignore', log, log],
        windowsHide: true,
        ...spawnAs(binaries.account),
      },
    );
  } finally {
    closeSync(log);
  }
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  child.once('error', () => {
    ended = true;
  });
  child.unref();
  const deadline = Date.now() + startTimeoutMs;
  while (!ended && Date.now() < deadline) {
    const postmaster = readPostmaster(cluster);
    if (postmaster !== undefined && postmaster.pid === child.pid && postmaster.status === 'ready') return postmaster;
    await pause(pollMs);
  }
  if (!ended) child.kill('SIGQUIT');
  return undefined;
};

const launch = async (start: Launch): Promise<Postmaster> => {
  const { cluster: folder, logFile } = start;
  let logged = 0;
  // Another program may take the free port before us, and processes of a server killed a moment ago may linger.
  for (let attempt = 0; attempt < 3; attempt += 1) {
    logged = lengthOf(logFile);
    const postmaster = await launchOnce(start);
    if (postmaster !== undefined) return postmaster;
    await pause(300);
  }
  throw startFault('The embedded PostgreSQL did not start', { folder, logFile, output: logSince(logFile, logged) });
};

const signalStop = (pid: number, cluster: string, binaries: Binaries): void => {
  if (process.platform === 'win32') {
    // Windows has no signals: SIGINT would end the server without a checkpoint.
    spawnSync(programPath(binaries.folder, 'pg_ctl'), ['stop', '-D', cluster, '-m', 'fast', '-W']);
    return;
  }
  try {
    process.kill(pid, 'SIGINT');
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ESRCH') throw fault;
  }
};

/** Whether the server is gone within the time; its file goes last but one, the process itself last. */
const isGone = async (pid: number, cluster: string, withinMs: number): Promise<boolean> => {
  const deadline = Date.now() + withinMs;
  while (isPostmasterOf(pid, cluster)) {
    if (Date.now() > deadline) return false;
    await pause(pollMs);
  }
  return true;
};

/** A server can hang over a stop, such as PostgreSQL 18 when one begins while it recovers from a crash. */
const stopServer = async (pid: number, cluster: string, binaries: Binaries, patienceMs: number): Promise<void> => {
  if (isPostmasterOf(pid, cluster)) signalStop(pid, cluster, binaries);
  if (await isGone(pid, cluster, patienceMs)) return;
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    if (isPostmasterOf(pid, cluster)) process.kill(pid, signal);
    if (await isGone(pid, cluster, endPatienceMs)) return;
  }
  throw new KagamiError('EMBEDDED_POSTGRES_STOP_FAILED', `The embedded PostgreSQL (process ${pid}) does not stop`, {
    details: { pid },
  });
};

/** Level by level: Node's own recursion takes every failure, such as a read-only disk, for a missing parent. */
const makeFolder = (path: string): void => {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o755 });
};

const prepareFolder = (dataDir: string): void => {
  try {
    makeFolder(dataDir);
  } catch (fault) {
    throw folderFault(fault, dataDir);
  }
};

const rotateLog = (logFile: string): void => {
  if (existsSync(logFile) && statSync(logFile).size > largestLogBytes) renameSync(logFile, `${logFile}.1`);
};

/**
 * Starts the embedded server, or takes over the one that a killed Kagami left running on the same data.
 * @throws KagamiError EMBEDDED_POSTGRES_MISSING, EMBEDDED_POSTGRES_UNUSABLE, EMBEDDED_POSTGRES_START_FAILED,
 *   EMBEDDED_POSTGRES_NO_MEMORY, DATA_FOLDER_LOCKED, DATA_FOLDER_FULL, DATA_FOLDER_UNUSABLE, DATA_FOLDER_OTHER_VERSION
 */
export const startEmbeddedPostgres = async (options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> => {
  const dataDir = resolve(options.dataDir);
  const cluster = join(dataDir, 'cluster');
  const logFile = join(dataDir, 'postgres.log');
  prepareFolder(dataDir);
  const lock = lockDataFolder(dataDir);
  try {
    const created = !hasCluster(cluster);
    const binaries = usableBinaries({
      accounts: accountCandidates(created ? undefined : clusterOwner(cluster)),
      ...(options.nativeFolder === undefined ? {} : { native: options.nativeFolder }),
      ...(options.copyFolders === undefined ? {} : { copyFolders: options.copyFolders }),
    });
    const credentials = loadCredentials(dataDir, !created);
    if (created) {
      options.logger?.info({ dataDir, version: binaries.version }, 'making the data folder of the embedded PostgreSQL');
      createCluster(cluster, binaries, {
        user: credentials.owner.username,
        password: credentials.owner.password,
        sync: options.sync ?? true,
      });
    } else checkCluster(cluster, binaries);

    const running = await adoptable(cluster, credentials.owner);
    rotateLog(logFile);
    const { pid, port } = running ?? (await launch({ cluster, binaries, logFile, options }));
    if (running === undefined)
      options.logger?.info({ pid, port, version: binaries.version }, 'embedded PostgreSQL runs');
    else options.logger?.warn({ pid, port }, 'took over the embedded PostgreSQL that an earlier process left running');

    const nearest = socketFolder(cluster, port);
    let stopping: Promise<void> | undefined;
    return {
      host,
      port,
      pid,
      version: binaries.version,
      credentials,
      logFile,
      socketFolder: nearest,
      created,
      adopted: running !== undefined,
      connectionString: (database, user = credentials.owner) => connectionString(port, database, user),
      nearestConnectionString: (database, user = credentials.owner) => connectionString(port, database, user, nearest),
      stop: () => {
        const patienceMs = options.stopPatienceMs ?? usualStopPatienceMs;
        stopping ??= stopServer(pid, cluster, binaries, patienceMs).finally(() => lock.release());
        return stopping;
      },
    };
  } catch (fault) {
    lock.release();
    throw folderFault(fault, dataDir);
  }
};
