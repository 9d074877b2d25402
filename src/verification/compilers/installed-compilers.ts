/** The compilers that lie beside Kagami: the newest as its dependency, older ones where it is developed. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { releaseOfPackage } from './compiler-releases.ts';

const require = createRequire(import.meta.url);

const installedFiles: readonly (() => string)[] = [
  () => require.resolve('solc/soljson.js'),
  () => require.resolve('solc-0.8.19/soljson.js'),
  () => require.resolve('solc-0.8.20/soljson.js'),
  () => require.resolve('solc-0.8.24/soljson.js'),
  () => require.resolve('solc-0.8.26/soljson.js'),
  () => require.resolve('solc-0.8.28/soljson.js'),
];

/**
 * Version with commit to the path of `soljson.js`. The package's own version counts, not the name it was installed under:
 * a range may have brought a newer one. A package that is newer than our table is left out, since its commit is unknown.
 */
export const installedCompilers = (): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const resolve of installedFiles) {
    try {
      const path = resolve();
      const manifest = JSON.parse(readFileSync(join(dirname(path), 'package.json'), 'utf8')) as { version: string };
      const release = releaseOfPackage(manifest.version);
      if (release !== undefined) found.set(release.version, path);
    } catch {
      // Not installed here; its compiler is fetched when it is asked for.
    }
  }
  return found;
};
