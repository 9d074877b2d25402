import { type Finding, fail, ok, warn } from './finding.ts';

const subject = 'clock';
/** No Kagami is older than this. */
const EARLIEST = Date.UTC(2026, 0, 1);
const LATEST = Date.UTC(2100, 0, 1);

/**
 * Whether the system clock can be right: lag, staking periods and `timestamp` defaults depend on it.
 * @param now milliseconds since the epoch
 * @param databaseNow the database server's clock, same unit
 */
export const checkClock = (now: number, databaseNow?: number): Finding => {
  const text = new Date(now).toISOString();
  if (now < EARLIEST || now > LATEST) return fail(subject, `it shows ${text}`, 'Set the system clock (NTP).');
  const apart = databaseNow === undefined ? 0 : Math.abs(now - databaseNow);
  if (apart > 5_000) {
    return warn(subject, `${Math.round(apart / 1_000)}s apart from the database server's`, 'Run NTP on both machines.');
  }
  return ok(subject, text);
};
