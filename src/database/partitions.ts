/** Keeps the time partitions of the balance tables ahead of the clock: at the start, and daily from then on. */
import { advisoryLockSpace, advisoryLocks } from './advisory-locks.ts';
import type { Database, DatabaseClient } from './connection.ts';

/** Makes the partitions that are due within a month; cheap when there is nothing to do. Inside a transaction. */
export const createPartitionsAhead = async (client: DatabaseClient): Promise<void> => {
  await client.query('call create_mirror_node_time_partitions()');
};

export interface PartitionKeeper {
  stop(): void;
}

const millisecondsPerDay = 86_400_000;

/** Milliseconds until shortly after the next midnight UTC. */
const untilMidnight = (now: number): number => millisecondsPerDay - (now % millisecondsPerDay) + 1_000;

/**
 * Makes due partitions every midnight UTC until `stop`. The first are made by `migrate`.
 * @param onError called with what went wrong; the next attempt follows a day later, a month before it matters
 */
export const keepPartitionsAhead = (database: Database, onError: (error: unknown) => void): PartitionKeeper => {
  let timer: NodeJS.Timeout;
  const schedule = (): void => {
    timer = setTimeout(() => {
      database
        .transaction(async (client) => {
          await client.query('select pg_advisory_xact_lock($1, $2)', [advisoryLockSpace, advisoryLocks.migration]);
          await createPartitionsAhead(client);
        })
        .catch(onError)
        .finally(schedule);
    }, untilMidnight(Date.now()));
    timer.unref();
  };
  schedule();
  return { stop: () => clearTimeout(timer) };
};
