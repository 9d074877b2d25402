/**
 * A PostgreSQL of the test's own, to be stopped in every way and filled up: its data lie on a small file system in
 * memory, where the test may mount one.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../database/embedded/launcher.ts';
import { isPostmasterOf, processExists, readPostmaster } from '../../database/embedded/postmaster-file.ts';
import { migrate } from '../../database/migrate.ts';
import type { StopMode } from './fault-plan.fixture.ts';

const DISK_MB = 700;
const LONGEST_RECOVERY_MS = 30_000;
const TEMPLATE = 'ledger_template';

/** A crash of the machine isn't among the faults, so nothing needs to be flushed; commits are kept as in earnest. */
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '48MB',
  min_wal_size: '32MB',
  max_wal_size: '160MB',
  autovacuum: 'off',
};

const signals: Readonly<Record<StopMode, NodeJS.Signals>> = { smart: 'SIGTERM', fast: 'SIGINT', immediate: 'SIGQUIT' };

/** Refusals of a server that ends its processes after a crash, recovers or starts. */
const recoveryStates = ['57P01', '57P02', '57P03', 'ECONNREFUSED', 'ECONNRESET'];

const isOfRecovery = (error: unknown): boolean =>
  recoveryStates.includes(String((error as { code?: unknown }).code)) ||
  /Connection terminated/.test(String((error as Error).message));

const PREFIX = 'kagami-resilience-';
const clusterIn = (folder: string): string => join(folder, 'disk', 'server', 'cluster');

const endServerIn = (folder: string): void => {
  const cluster = clusterIn(folder);
  const pid = readPostmaster(cluster)?.pid;
  if (pid !== undefined && isPostmasterOf(pid, cluster)) process.kill(pid, 'SIGQUIT');
  spawnSync('umount', ['-l', join(folder, 'disk')]);
};

/** A folder for a server and what belongs to it; removes those of test runs that were killed. */
export const createScratchFolder = (): string => {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(PREFIX))) {
    const [, owner] = /^(\d+)-/.exec(name.slice(PREFIX.length)) ?? [];
    if (owner === undefined || processExists(Number(owner))) continue;
    endServerIn(join(tmpdir(), name));
    rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
  return mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
};

export class FaultyServer {
  readonly #folder: string;
  /** The small file system. */
  readonly #disk: string;
  readonly #mounted: boolean;
  #server: EmbeddedPostgres | undefined;
  readonly #cleanUp: () => void;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#disk = join(folder, 'disk');
    mkdirSync(this.#disk, { recursive: true });
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=755`, 'tmpfs', this.#disk]);
    this.#mounted = status === 0;
    this.#cleanUp = () => endServerIn(folder);
    process.once('exit', this.#cleanUp);
  }

  /** @param folder of `createScratchFolder` */
  static async start(folder: string): Promise<FaultyServer> {
    const server = new FaultyServer(folder);
    await server.start();
    await server.query('postgres', `create database ${TEMPLATE} template template0 encoding 'UTF8' locale 'C'`);
    await migrate({ connectionString: server.connectionString(TEMPLATE) });
    return server;
  }

  get port(): number {
    return this.#running.port;
  }

  /** Whether the disk can be filled: that needs the right to mount. */
  get canFill(): boolean {
    return this.#mounted;
  }

  /** @param port of a proxy; the server's own if absent */
  connectionString(database: string, port?: number): string {
    const url = new URL(this.#running.connectionString(database));
    if (port !== undefined) url.port = String(port);
    return url.href;
  }

  createDatabase(name: string): Promise<unknown> {
    return this.query('postgres', `create database ${name} template ${TEMPLATE} strategy file_copy`);
  }

  dropDatabase(name: string): Promise<unknown> {
    return this.query('postgres', `drop database ${name} with (force)`);
  }

  /** Waits for a server that is recovering: the fault before this one may have made it do so. */
  async query<R extends pg.QueryResultRow>(database: string, text: string, values: unknown[] = []): Promise<R[]> {
    const patience = Date.now() + LONGEST_RECOVERY_MS;
    for (;;) {
      try {
        return await this.#queryOnce<R>(database, text, values);
      } catch (error) {
        if (Date.now() > patience || !isOfRecovery(error)) throw error;
        await pause(50);
      }
    }
  }

  async #queryOnce<R extends pg.QueryResultRow>(database: string, text: string, values: unknown[]): Promise<R[]> {
    const client = new pg.Client({ connectionString: this.connectionString(database) });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<R>(text, values)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** Ends every server process at once or in order, and begins again. */
  async restart(mode: StopMode, downMs: number): Promise<void> {
    const { pid } = this.#running;
    if (isPostmasterOf(pid, this.#cluster)) process.kill(pid, signals[mode]);
    // A smart stop waits for its clients, who don't think of leaving.
    await pause(mode === 'smart' ? downMs : 0);
    await this.#running.stop();
    await pause(downMs);
    await this.start();
  }

  /** Starts the server if it isn't running. */
  async start(): Promise<void> {
    const port = this.#server?.port;
    if (this.#server !== undefined) {
      if (isPostmasterOf(this.#server.pid, this.#cluster)) return;
      // Frees the data folder.
      await this.#server.stop();
    }
    this.#server = await startEmbeddedPostgres({
      dataDir: this.#dataDir,
      settings,
      sync: false,
      // PostgreSQL 18 hangs over a stop that comes while it recovers.
      stopPatienceMs: 10_000,
      ...(port === undefined ? {} : { port }),
    });
  }

  /** Leaves only so many bytes. */
  fillDisk(leaveBytes: number): void {
    const { bavail, bsize } = statfsSync(this.#disk);
    const ballast = openSync(join(this.#disk, 'ballast'), 'w');
    const zeros = Buffer.alloc(1 << 20);
    try {
      for (let left = bavail * bsize - leaveBytes; left > 0; left -= zeros.length) {
        writeSync(ballast, zeros, 0, Math.min(left, zeros.length));
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(ballast);
    }
  }

  /** Makes room again, and starts the server in case it went down over this. */
  async freeDisk(): Promise<void> {
    rmSync(join(this.#disk, 'ballast'), { force: true });
    await this.start();
  }

  async close(): Promise<void> {
    process.off('exit', this.#cleanUp);
    await this.#server?.stop();
    if (this.#mounted) spawnSync('umount', ['-l', this.#disk]);
  }

  get #dataDir(): string {
    return join(this.#disk, 'server');
  }

  get #cluster(): string {
    return clusterIn(this.#folder);
  }

  get #running(): EmbeddedPostgres {
    if (this.#server === undefined) throw new Error('the server was not started');
    return this.#server;
  }
}
