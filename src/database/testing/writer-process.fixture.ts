/**
 * A writer in a process of its own, for tests that kill it: takes the lock, opens a transaction that checks the token,
 * prints `writing` and stays in the middle of that transaction. With `sleep` as second argument, in a long statement.
 */

import { openDatabase } from '../connection.ts';
import { acquireWriter } from '../fencing.ts';

const [connectionString = '', mode = 'idle'] = process.argv.slice(2);
const lease = await acquireWriter({ connectionString, holder: 'first' });
const database = openDatabase({ connectionString });
await database.transaction(async (client) => {
  await lease.check(client);
  await client.query('create table if not exists written (by text)');
  await client.query(`insert into written values ('first')`);
  process.stdout.write('writing\n');
  if (mode === 'sleep') await client.query('select pg_sleep(600)');
  else await new Promise((done) => setTimeout(done, 600_000));
});
