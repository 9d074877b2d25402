/** Where compilers are: installed with Kagami, kept from earlier, or fetched now. */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { Language } from '../model.ts';
import { releaseOfVersion } from './compiler-releases.ts';
import { isSolidityVersion, plainVersion } from './compiler-version.ts';
import { installedCompilers } from './installed-compilers.ts';
import { fetchFromMirror } from './mirror-source.ts';
import { fetchPackage, type RunNpm, runNpm } from './package-source.ts';

export interface CompilerStoreOptions {
  /** Folder for compilers that were fetched. */
  readonly folder: string;
  /** Whether npm may be asked. */
  readonly download: boolean;
  /** Base URL of a mirror of compiler lists; empty: none. */
  readonly mirror: string;
  /** Vyper binaries by version without commit. */
  readonly vyper: ReadonlyMap<string, string>;
  /** Stand-ins for tests. */
  readonly fetchUrl?: typeof fetch;
  readonly npm?: RunNpm;
}

/** A compiler that can be run: a `soljson.js` or a binary that reads standard JSON. */
export interface LocatedCompiler {
  readonly kind: 'soljson' | 'vyper';
  readonly path: string;
  readonly version: string;
}

export interface CompilerStore {
  /**
   * @param version with commit, with or without a leading v
   * @throws KagamiError COMPILER_UNAVAILABLE, COMPILER_UNREACHABLE
   */
  locate(language: Language, version: string): Promise<LocatedCompiler>;
}

const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

const unavailable = (language: Language, version: string, reason: string): KagamiError =>
  new KagamiError('COMPILER_UNAVAILABLE', `The compiler ${language} ${version} is not available: ${reason}`, {
    details: { language, version },
  });

const checked = (version: string, content: Uint8Array, expected: string | undefined): Uint8Array => {
  if (expected !== undefined && sha256(content) === expected) return content;
  throw new KagamiError(
    'COMPILER_UNREACHABLE',
    `The file that was fetched for the compiler Solidity ${version} has another hash than that release`,
    { details: { version, expected } },
  );
};

/** Opens the store; nothing is read or fetched before a compiler is asked for. */
export const openCompilerStore = (options: CompilerStoreOptions): CompilerStore => {
  const { folder, download, mirror, vyper, fetchUrl = fetch, npm = runNpm } = options;
  const fetching = new Map<string, Promise<string>>();
  const verified = new Set<string>();
  let installed: ReadonlyMap<string, string> | undefined;

  const fetchContent = async (version: string): Promise<Uint8Array> => {
    const release = releaseOfVersion(version);
    if (mirror !== '') {
      const found = await fetchFromMirror(mirror, version, fetchUrl);
      if (found !== undefined) return checked(version, found.content, release?.sha256 ?? found.sha256);
    }
    if (release === undefined) throw unavailable('Solidity', version, 'no release of this version can be had');
    if (!download) throw unavailable('Solidity', version, 'it is not installed, and fetching compilers is turned off');
    return checked(version, await fetchPackage(release, npm), release.sha256);
  };

  /** What was kept is trusted once it has shown the release's hash; builds of a mirror alone were checked when they came. */
  const isIntact = async (version: string, path: string): Promise<boolean> => {
    if (!existsSync(path)) return false;
    const release = releaseOfVersion(version);
    if (release === undefined || verified.has(version)) return true;
    if (sha256(await readFile(path)) !== release.sha256) return false;
    verified.add(version);
    return true;
  };

  const keep = async (version: string): Promise<string> => {
    // The suffix makes it CommonJS whatever package.json lies above the folder.
    const path = join(folder, `soljson-v${version}.cjs`);
    if (await isIntact(version, path)) return path;
    const content = await fetchContent(version);
    await mkdir(folder, { recursive: true });
    const draft = `${path}.${randomUUID()}`;
    await writeFile(draft, content);
    await rename(draft, path);
    return path;
  };

  const solidity = async (version: string): Promise<LocatedCompiler> => {
    if (!isSolidityVersion(version)) throw unavailable('Solidity', version, 'this is not the version of a release');
    installed ??= installedCompilers();
    const path = installed.get(version);
    if (path !== undefined) return { kind: 'soljson', path, version };
    let pending = fetching.get(version);
    if (pending === undefined) {
      pending = keep(version).finally(() => fetching.delete(version));
      fetching.set(version, pending);
    }
    return { kind: 'soljson', path: await pending, version };
  };

  return {
    locate: async (language, named) => {
      const version = plainVersion(named);
      if (language === 'Solidity' || language === 'Yul') return solidity(version);
      if (language === 'Fe') throw unavailable(language, version, 'Kagami has no compiler of this language');
      const path = vyper.get(version.split('+')[0] ?? '');
      if (path === undefined) throw unavailable(language, version, 'no binary of this version is configured');
      return { kind: 'vyper', path, version };
    },
  };
};
