#!/usr/bin/env node
/** The `kagami` command: runs the command line on a Node that is new enough. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runScript } from '../runtime/node.js';

const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
if (existsSync(main)) {
  await runScript(main, process.argv.slice(2));
} else {
  process.stderr.write('Kagami is not built yet: run `npm run build` in its folder.\n');
  process.exitCode = 1;
}
