import { simulateLedger } from './simulate-ledger.ts';

/** Process to be killed: simulates into the given folder until then, and says so for every block. */
const [out = ''] = process.argv.slice(2);
await simulateLedger({
  out,
  seed: 'crash',
  blocks: 100_000,
  tps: 20,
  nodes: 2,
  users: 12,
  onProgress: ({ blocks }) => process.stdout.write(`${blocks}\n`),
});
