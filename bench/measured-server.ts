/** What the servers that benchmarks measure have in common: the usual settings, any free port, no log. */
import { loadSettings } from '../src/config/load.ts';
import { type Database, openDatabase } from '../src/database/connection.ts';
import { sharedConnectionsOf } from '../src/database/shared/shared-connections.ts';

export const { hiero, kagami } = loadSettings({ cwd: process.cwd(), env: {}, readFile: () => undefined }).settings;

const { rest, restJava, common } = hiero.mirror;

export const serverSettings = {
  rest: { ...rest, port: 0 },
  restJava,
  common,
  server: { ...kagami.server, additionalPorts: [] },
};

const quiet = () => undefined;

export const quietLogger = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** Connections as the server has them. */
export const openServedDatabase = (connectionString: string): Database =>
  openDatabase({
    connectionString,
    max: rest.db.pool.maxConnections,
    shared: sharedConnectionsOf(rest.db.pool.maxConnections),
    readOnly: true,
    statementTimeoutMs: rest.db.pool.statementTimeout,
    sessionSettings: { jit: 'off', max_parallel_workers_per_gather: '0' },
  });
