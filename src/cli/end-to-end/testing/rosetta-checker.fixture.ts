/**
 * The checker that Mesh has for its implementations (`rosetta-cli`), a Go program. It is built once for a user of the
 * machine, which takes minutes, and kept in that user's cache folder.
 */
import { execFile, spawn } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const MODULE = 'github.com/coinbase/rosetta-cli';
const VERSION = 'v0.10.4';
const BUILD_MS = 900_000;
const GO_FOLDER = '/usr/local/go/bin';

const cached = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'kagami-tests', `rosetta-cli-${VERSION}`);

const withGo = (): NodeJS.ProcessEnv => ({
  ...process.env,
  PATH: [process.env.PATH, GO_FOLDER].join(delimiter),
  GOTOOLCHAIN: 'local',
});

const build = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'kagami-checker-'));
  try {
    await writeFile(join(folder, 'go.mod'), `module checker\n\ngo 1.21\n\nrequire ${MODULE} ${VERSION}\n`);
    await run('go', ['build', '-mod=mod', '-o', 'checker', MODULE], { cwd: folder, env: withGo(), timeout: BUILD_MS });
    await mkdir(join(cached, '..'), { recursive: true });
    // Another run may have built it meanwhile; whichever comes last, the file is whole.
    const own = `${cached}.${process.pid}`;
    await run('cp', [join(folder, 'checker'), own]);
    await rename(own, cached);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** What every run is configured with, beside the network, the addresses and what it checks. */
export const checkerDefaults = {
  http_timeout: 30,
  max_retries: 3,
  tip_delay: 300,
  compression_disabled: true,
  all_in_memory_enabled: true,
} as const;

/** Path of the checker, or why there is none. */
export type CheckerAccess = { readonly path: string } | { readonly missing: string };

export const rosettaChecker = async (): Promise<CheckerAccess> => {
  const isThere = await access(cached).then(
    () => true,
    () => false,
  );
  if (isThere) return { path: cached };
  try {
    await run('go', ['version'], { env: withGo() });
  } catch {
    return { missing: 'there is no Go on this machine' };
  }
  try {
    await build();
    return { path: cached };
  } catch (error) {
    const { message } = error as Error;
    // What the compiler says begins with the package; a program that does not build is a fault worth knowing.
    if (/^# /m.test(message)) throw error;
    return { missing: 'its Go module can’t be fetched' };
  }
};

export interface CheckerRun {
  readonly code: number | null;
  readonly output: string;
}

export interface CheckerCommand {
  /** `check:data` and the like, with its flags. */
  readonly command: readonly string[];
  readonly configuration: object;
  /** Texts of the files that the configuration names, by their names. */
  readonly files: Readonly<Record<string, string>>;
  /** The command is ended after so many milliseconds. */
  readonly withinMs: number;
}

export const runChecker = async (
  path: string,
  { command, configuration, files, withinMs }: CheckerCommand,
): Promise<CheckerRun> => {
  const folder = await mkdtemp(join(tmpdir(), 'kagami-check-'));
  try {
    const file = join(folder, 'configuration.json');
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    await writeFile(file, JSON.stringify({ data_directory: join(folder, 'data'), ...configuration }));
    const child = spawn(path, [...command, '--configuration-file', file], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: withinMs,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    return { code, output };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
