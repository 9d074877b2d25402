/** A version of Kagami that serves a database nobody writes to: the working tree or another checkout, by its own command. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const STARTUP_MS = 120_000;
const POLL_MS = 100;

export interface ServedTree {
  readonly base: URL;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface TreeOptions {
  /** Root of the checkout. */
  readonly tree: string;
  /** Runs `dist`, as users do; otherwise `src`. */
  readonly built: boolean;
  readonly connectionString: string;
  /** Milliseconds since the epoch at which its clock stands still; absent: it goes. */
  readonly now?: number;
  /** Further flags of `kagami start`. */
  readonly flags?: readonly string[];
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
};

/**
 * Applies the migrations of the version and starts its REST interface.
 * @throws Error when it does not answer within two minutes
 */
export const serveTree = async (options: TreeOptions): Promise<ServedTree> => {
  const { tree, built, connectionString, now } = options;
  const main = join(tree, built ? 'dist/cli/main.js' : 'src/cli/main.ts');
  if (!existsSync(main)) throw new Error(`There is no ${main}`);
  const folder = mkdtempSync(join(tmpdir(), 'kagami-compared-'));
  const usual = [main, '--data', folder, '--log-level', 'warn'];
  const migrated = spawnSync(process.execPath, [...usual, 'migrate', '--database', connectionString], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (migrated.status !== 0) throw new Error(`${tree} could not migrate the database:\n${migrated.stderr}`);
  const port = await freePort();
  const flags = [
    ...['--roles', 'rest', '--no-simulator', '--database', connectionString, '--port', String(port)],
    ...['--set', 'kagami.server.additionalPorts=[]', ...(options.flags ?? [])],
  ];
  const clock = {
    COMPARED_CLOCK: String(now),
    NODE_OPTIONS: `--import=${fileURLToPath(new URL('./frozen-clock.ts', import.meta.url))}`,
  };
  const child = spawn(process.execPath, [...usual, 'start', ...flags], {
    cwd: folder,
    env: { ...process.env, ...(now === undefined ? {} : clock) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const base = new URL(`http://127.0.0.1:${port}`);
  const deadline = performance.now() + STARTUP_MS;
  while (performance.now() < deadline && child.exitCode === null) {
    const response = await fetch(new URL('/api/v1/blocks?limit=1', base)).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status === 200 && child.pid !== undefined) return { base, pid: child.pid, stop };
    await pause(POLL_MS);
  }
  await stop();
  throw new Error(`${tree} does not serve the database`);
};
