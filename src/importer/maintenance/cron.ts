/** Times of day and week at which a job begins. */
import { Cron } from 'croner';
import { KagamiError } from '../../errors/kagami-error.ts';

/** Milliseconds from `now` to the next time that an expression names; undefined when there is none any more. */
export type CronSchedule = (now: Date) => number | undefined;

/**
 * Reads an expression of six fields (second, minute, hour, day of the month, month, day of the week) in UTC; of five
 * fields, without seconds. `setting` is the name of the setting below `hiero.mirror.importer`.
 * @throws KagamiError CONFIG_INVALID for an expression that is none, or that names no time to come
 */
export const cronSchedule = (expression: string, setting: string): CronSchedule => {
  const cron = parse(expression, setting);
  return (now) => {
    const next = cron.nextRun(now);
    return next === null ? undefined : next.getTime() - now.getTime();
  };
};

const parse = (expression: string, setting: string): Cron => {
  let cron: Cron;
  try {
    cron = new Cron(expression, { timezone: 'UTC', paused: true });
  } catch (cause) {
    throw invalid(setting, `${JSON.stringify(expression)} is no cron expression: ${(cause as Error).message}`, cause);
  }
  if (cron.nextRun() === null) throw invalid(setting, `${JSON.stringify(expression)} names no time to come`);
  return cron;
};

const invalid = (setting: string, message: string, cause?: unknown): KagamiError =>
  new KagamiError('CONFIG_INVALID', `hiero.mirror.importer.${setting}: ${message}`, {
    details: { setting: `hiero.mirror.importer.${setting}` },
    cause,
  });
