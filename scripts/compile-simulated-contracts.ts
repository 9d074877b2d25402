/** Compiles the contracts of the simulated network anew: `node scripts/compile-simulated-contracts.ts`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { compileSources } from '../src/simulator/solidity/testing/compile-sources.fixture.ts';

const folder = new URL('../src/simulator/solidity/', import.meta.url);
mkdirSync(new URL('metadata/', folder), { recursive: true });
for (const [path, text] of await compileSources()) writeFileSync(new URL(path, folder), text);
