/** `node runtime/run.js <script> [arguments]` runs a script on a Node that is new enough, whatever this one is. */
import { resolve } from 'node:path';
import { runScript } from './node.js';

const [script = '', ...commandArguments] = process.argv.slice(2);
await runScript(resolve(script), commandArguments);
