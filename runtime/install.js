/**
 * Runs after npm has installed Kagami: fetches Node when the machine's is too old, so that the first start need not. What
 * fails here is tried again by the first start, which says why it failed.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runtimeFolder, suitableNode } from './node.js';

// Where Kagami is developed, Node is one of its packages.
const isDeveloped = existsSync(join(runtimeFolder, '../node_modules/node'));
if (!isDeveloped) await suitableNode([runtimeFolder]).catch(() => undefined);
