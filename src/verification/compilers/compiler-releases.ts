/**
 * Which npm package carries which release of the Solidity compiler, and the hash of its `soljson.js`. The table was made
 * by asking every package for its version: `solc@0.8.1` carries 0.8.0 and `solc@0.8.7` carries 0.7.5, so names don't tell.
 */
import releases from './releases.json' with { type: 'json' };

export interface CompilerRelease {
  /** `0.8.26+commit.8a97fa7a`. */
  readonly version: string;
  /** Version of the npm package `solc`. */
  readonly package: string;
  /** Of `soljson.js`, in hex. */
  readonly sha256: string;
}

const byVersion = new Map<string, CompilerRelease>(releases.map((release) => [release.version, release]));

const byPackage = new Map<string, CompilerRelease>(releases.map((release) => [release.package, release]));

export const releaseOfVersion = (version: string): CompilerRelease | undefined => byVersion.get(version);

export const releaseOfPackage = (packageVersion: string): CompilerRelease | undefined => byPackage.get(packageVersion);
