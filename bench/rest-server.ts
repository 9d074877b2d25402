/** Serves a database for the REST benchmark in a process of its own: `node rest-server.ts <database url>`; prints its port. */
import { loadSettings } from '../src/config/load.ts';
import { openDatabase } from '../src/database/connection.ts';
import { startServer } from '../src/server/start.ts';

const [connectionString = ''] = process.argv.slice(2);
const { hiero, kagami } = loadSettings({ cwd: process.cwd(), env: {}, readFile: () => undefined }).settings;
const { rest, restJava, common } = hiero.mirror;
const { pool } = rest.db;
const quiet = () => undefined;
const server = await startServer({
  database: openDatabase({
    connectionString,
    max: pool.maxConnections,
    statementTimeoutMs: pool.statementTimeout,
    sessionSettings: { jit: 'off', max_parallel_workers_per_gather: '0' },
  }),
  settings: { rest: { ...rest, port: 0 }, restJava, common, server: { ...kagami.server, additionalPorts: [] } },
  logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
});
process.stdout.write(`${server.ports[0]}\n`);
