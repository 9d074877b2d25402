/** A process that repairs a ledger of mainnet, for a test that kills it: `node repair-process.fixture.ts <database url>`. */
import { openDatabase } from '../../../database/connection.ts';
import { acquireWriter, writerSessionSettings } from '../../../database/fencing.ts';
import { openRepairs } from '../ledger-repairs.ts';
import { mainnetTask } from './repair.fixture.ts';

const [connectionString = ''] = process.argv.slice(2);
const database = openDatabase({
  connectionString,
  max: 2,
  applicationName: 'kagami repair',
  sessionSettings: writerSessionSettings,
});
const lease = await acquireWriter({ connectionString });
await (await openRepairs({ ...mainnetTask, database, lease })).run();
await lease.release();
await database.close();
