/**
 * Builds `dist` from `src`, with nothing but Node, so that an installation without development tools can do it too: takes
 * the types out of every file but tests, names the files that they import `.js`, and copies what is no TypeScript (SQL,
 * JSON, pages). Lines and columns stay where they are. Types are checked by `npm run typecheck`.
 */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'src');
const target = join(root, 'dist');
const forTests = ['**/*.test.ts', '**/*.fixture.*', '**/testing/**'];

/** Relative specifiers of static imports, re-exports and dynamic imports. */
const relativeImport = /(\b(?:from|import)\s*\(?\s*)(['"])(\.{1,2}\/[^'"\n]+)\.ts\2/g;

const built = (typescript: string): string =>
  stripTypeScriptTypes(typescript).replaceAll(relativeImport, '$1$2$3.js$2');

// Node warns that stripTypeScriptTypes may change, which is of no interest to whoever builds.
process.removeAllListeners('warning');

const modules = globSync('**/*.ts', { cwd: source, exclude: forTests });
const assets = globSync('**/*.{sql,json,bin,html,css,js,svg}', { cwd: source, exclude: forTests });
rmSync(target, { recursive: true, force: true });
for (const path of modules) {
  const file = join(target, path.replace(/\.ts$/, '.js'));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, built(readFileSync(join(source, path), 'utf8')));
}
for (const path of assets) cpSync(join(source, path), join(target, path));
console.log(`Built ${modules.length} modules and copied ${assets.length} assets to dist`);
