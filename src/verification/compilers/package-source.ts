/** Compilers from npm: the user's own npm fetches the package, with whatever registry, proxy and certificates it has. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { CompilerRelease } from './compiler-releases.ts';
import { tarEntry } from './tar-entry.ts';

const run = promisify(execFile);

/** Milliseconds for a download of at most 12 MB. */
const PATIENCE_MS = 180_000;

const isWindows = process.platform === 'win32';

/** Runs npm in a folder; what it prints is only read when it fails. */
export type RunNpm = (commandArguments: readonly string[], folder: string) => Promise<unknown>;

// npm.cmd needs the shell; the arguments are from our own table and hold nothing that a shell would interpret.
export const runNpm: RunNpm = (commandArguments, folder) =>
  run(isWindows ? 'npm.cmd' : 'npm', commandArguments, { cwd: folder, timeout: PATIENCE_MS, shell: isWindows });

/**
 * The `soljson.js` of a release.
 * @throws KagamiError COMPILER_UNREACHABLE
 */
export const fetchPackage = async (release: CompilerRelease, npm: RunNpm): Promise<Uint8Array> => {
  // Outside of any project, so that nobody's package.json or .npmrc but the user's is looked at.
  const folder = await mkdtemp(join(tmpdir(), 'kagami-compiler-'));
  try {
    await npm(['pack', `solc@${release.package}`, '--ignore-scripts', '--silent'], folder);
    const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
    const content =
      archive === undefined ? undefined : tarEntry(await readFile(join(folder, archive)), 'package/soljson.js');
    if (content !== undefined) return content;
    throw new Error('npm gave no package with a soljson.js');
  } catch (cause) {
    throw new KagamiError(
      'COMPILER_UNREACHABLE',
      `The compiler Solidity ${release.version} is not installed, and npm could not fetch solc@${release.package}`,
      { details: { version: release.version }, cause },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
