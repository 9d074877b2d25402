/**
 * `npm run bench <name>`: measures a hot path and the limit it can't pass in the same run, and prints their ratio.
 * Options follow the name, see each benchmark.
 */
const benchmarks: Readonly<Record<string, () => Promise<{ run(args: readonly string[]): Promise<void> }>>> = {
  'block-latency': () => import('./block-latency.ts'),
  calls: () => import('./calls.ts'),
  evm: () => import('./evm/run.ts'),
  fairness: () => import('./fairness.ts'),
  grpc: () => import('./subscriptions.ts'),
  'hostile-clients': () => import('./hostile-clients.ts'),
  import: () => import('./import.ts'),
  precompiles: () => import('./evm/precompiles.ts'),
  rest: () => import('./rest.ts'),
  verification: () => import('./verification.ts'),
  worst: () => import('./worst.ts'),
};

const [name = '', ...args] = process.argv.slice(2);
const load = benchmarks[name];
if (load === undefined) {
  console.error(`Usage: npm run bench <${Object.keys(benchmarks).join('|')}> [-- options]`);
  process.exitCode = 2;
} else {
  const { run } = await load();
  await run(args);
}
