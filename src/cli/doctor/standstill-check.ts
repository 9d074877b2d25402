import type { Queryable } from '../../database/connection.ts';
import { isKagamiError } from '../../errors/kagami-error.ts';
import { hintOf } from '../../importer/pipeline/fault.ts';
import { readStandstill, type Standstill } from '../../importer/pipeline/stop-record.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const subject = 'import';

/**
 * Why the import stands still, and what to do about it; nothing while it goes on.
 * @param running whether an importer holds the writer's lock
 */
export const checkStandstill = async (database: Queryable, running: boolean): Promise<Finding[]> => {
  let found: Standstill | undefined;
  try {
    found = await readStandstill(database);
  } catch (error) {
    // Its migration is missing, which is a finding of its own.
    if (isKagamiError(error, 'SCHEMA_NOT_READY')) return [];
    throw error;
  }
  if (found !== undefined) return [explain(found, running)];
  return running ? await checkAge(database) : [];
};

/** Seconds without a block after which an importer that gives no reason is suspect. */
const LONGEST_PAUSE_SECONDS = 180;

const checkAge = async (database: Queryable): Promise<Finding[]> => {
  const [newest] = await database.query<{ index: string; seconds: number }>(
    `select index, extract(epoch from now())::float8 - load_end / 1000.0::float8 as seconds
     from record_file order by consensus_end desc limit 1`,
  );
  if (newest === undefined || newest.seconds < LONGEST_PAUSE_SECONDS) return [];
  const minutes = Math.floor(newest.seconds / 60);
  const advice = 'See its log: it may be building indexes or repairing the ledger. Restart it if it does neither.';
  return [warn(subject, `no block since block ${newest.index} ${minutes} minutes ago, and no reason given`, advice)];
};

const explain = ({ state, code, message, file, since }: Standstill, running: boolean): Finding => {
  const about = file === null || message.includes(file) ? '' : `${file}: `;
  const reason = `${about}${message} (${code})`;
  const advice = hintOf(code);
  switch (state) {
    case 'ended':
      return ok(subject, `${message} since ${since}. ${advice}`);
    case 'stopped':
      return running
        ? warn(subject, `stopped ${since}, begun again since, but no block has come yet: ${reason}`, advice)
        : fail(subject, `stopped ${since}: ${reason}`, advice);
    default: {
      const verb = state === 'waiting' ? 'waiting' : 'trying again';
      return warn(subject, `${running ? verb : `ended while ${verb}`} since ${since}: ${reason}`, advice);
    }
  }
};
