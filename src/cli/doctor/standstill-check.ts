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
  return found === undefined ? [] : [explain(found, running)];
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
