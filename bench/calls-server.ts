/**
 * Serves a database with contract calls for their benchmark in a process of its own: `node calls-server.ts <database url>`
 * prints its port. Each line on its input is a commit, which it confirms by a line when it is known.
 */
import { createInterface } from 'node:readline';
import { loadSettings } from '../src/config/load.ts';
import { openDatabase } from '../src/database/connection.ts';
import { openSimulationThreads } from '../src/evm/workers/simulation-threads.ts';
import { startServer } from '../src/server/start.ts';

const [connectionString = ''] = process.argv.slice(2);
const { hiero, kagami } = loadSettings({ cwd: process.cwd(), env: {}, readFile: () => undefined }).settings;
const { rest, restJava, common } = hiero.mirror;
const { pool } = rest.db;
// What is measured are calls, not the refusals of more than the default limits.
const throttle = {
  ...hiero.mirror.web3.throttle,
  requestsPerSecond: 1_000_000,
  gasPerSecond: 10_000_000_000_000n,
};
/** Threads start with the first calls; on a busy machine several of them take longer than a call usually may. */
const requestTimeout = 120_000;
const web3 = { ...hiero.mirror.web3, throttle, requestTimeout };
const quiet = () => undefined;
const simulations = openSimulationThreads({ settings: web3, common, connectionString, schema: 'public' });
const server = await startServer({
  database: openDatabase({
    connectionString,
    max: pool.maxConnections,
    statementTimeoutMs: pool.statementTimeout,
    sessionSettings: { jit: 'off', max_parallel_workers_per_gather: '0' },
  }),
  simulations,
  settings: { rest: { ...rest, port: 0 }, restJava, common, web3, server: { ...kagami.server, additionalPorts: [] } },
  logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
});
createInterface({ input: process.stdin }).on('line', () => {
  server.onBlockCommitted();
  simulations.onBlockCommitted();
  process.stdout.write('committed\n');
});
process.stdout.write(`${server.ports[0]}\n`);
