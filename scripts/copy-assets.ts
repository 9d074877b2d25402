/**
 * Copies what the compiler leaves behind into dist: every file under src that is no TypeScript and no fixture (SQL, JSON, pages),
 * at the same relative path.
 */
import { cpSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const assets = globSync('src/**/*.{sql,json,bin,html,css,js,svg}', {
  cwd: root,
  exclude: ['**/*.fixture.*', '**/testing/**'],
});
for (const asset of assets) cpSync(join(root, asset), join(root, 'dist', asset.slice('src/'.length)));
console.log(`Copied ${assets.length} assets to dist`);
