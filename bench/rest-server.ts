/** Serves a database for the REST benchmark in a process of its own: `node rest-server.ts <database url>`; prints its port. */
import { startServer } from '../src/server/start.ts';
import { openServedDatabase, quietLogger, serverSettings } from './measured-server.ts';

const [connectionString = ''] = process.argv.slice(2);
const server = await startServer({
  database: openServedDatabase(connectionString),
  settings: serverSettings,
  logger: quietLogger,
});
process.stdout.write(`${server.ports[0]}\n`);
