/**
 * Serves a database with contract calls for their benchmark in a process of its own: `node calls-server.ts <database url>`
 * prints its port; `usual-limits` behind it leaves throttles and time-out as they are by default. Each line on its input is a commit, which it confirms by a line when it is known.
 */
import { createInterface } from 'node:readline';
import { openSimulationThreads } from '../src/evm/workers/simulation-threads.ts';
import { startServer } from '../src/server/start.ts';
import { hiero, openServedDatabase, quietLogger, serverSettings } from './measured-server.ts';

const [connectionString = '', limits] = process.argv.slice(2);
const { common } = hiero.mirror;
// What is measured are calls, not the refusals of more than the default limits.
const throttle = {
  ...hiero.mirror.web3.throttle,
  requestsPerSecond: 1_000_000,
  gasPerSecond: 10_000_000_000_000n,
};
/** Threads start with the first calls; on a busy machine several of them take longer than a call usually may. */
const requestTimeout = 120_000;
const web3 = limits === 'usual-limits' ? hiero.mirror.web3 : { ...hiero.mirror.web3, throttle, requestTimeout };
const simulations = openSimulationThreads({ settings: web3, common, connectionString, schema: 'public' });
const server = await startServer({
  database: openServedDatabase(connectionString),
  simulations,
  settings: { ...serverSettings, web3 },
  logger: quietLogger,
});
createInterface({ input: process.stdin }).on('line', () => {
  server.onBlockCommitted();
  simulations.onBlockCommitted();
  process.stdout.write('committed\n');
});
process.stdout.write(`${server.ports[0]}\n`);
