/** `/api/v1/schedules/{scheduleId}`: one schedule. */
import { isPathEntityIdText, readEntityReference } from '../../api/entity-reference.ts';
import { HttpProblem, notFound } from '../../api/problem.ts';
import { invalidParameters } from '../../api/query.ts';
import { endpoint, one } from '../../api/resource/endpoint.ts';
import type { Route, RouteContext } from '../../api/route.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { NANOS_PER_SECOND } from '../../ledger/timestamp.ts';
import { schedule, scheduleStatement } from './schedule.ts';

type ScheduleRow = Awaited<ReturnType<typeof schedule.read>>[number];

/** As refusals call the path parameter. */
const parameterName = 'scheduleid';

const scheduleIdOf = (text: string, context: RouteContext): EntityId => {
  if (!isPathEntityIdText(text)) throw invalidParameters(parameterName);
  try {
    return (readEntityReference(text, context) as { readonly id: EntityId }).id;
  } catch (error) {
    throw error instanceof HttpProblem ? invalidParameters(parameterName) : error;
  }
};

/** How long a schedule lives that names no expiry: `ledger.schedule.txExpiryTimeSecs` of the network. */
const usualLifetime = 30n * 60n * NANOS_PER_SECOND;
const nanosPerMillisecond = 1_000_000n;
const finalCacheSeconds = 3600;

/** Whether nothing more will happen to it. What happens right at its expiry arrives with the last record file of then. */
const isFinal = (row: ScheduleRow, { clock, settings }: RouteContext): boolean => {
  if (row.executedTimestamp !== '' || row.deleted === 't') return true;
  const expiry = row.expirationTime === '' ? BigInt(row.createdTimestamp) + usualLifetime : BigInt(row.expirationTime);
  return clock() > expiry + BigInt(settings.query.maxRecordFileCloseInterval) * nanosPerMillisecond;
};

const byId = scheduleStatement('select * from schedule where schedule_id = $1', 'p.schedule_id');

const scheduleAt = (path: string, operationId: string, description: string): Route =>
  endpoint({
    path,
    flavour: 'js',
    operationId,
    summary: 'Get a schedule',
    description,
    tag: 'schedules',
    refusals: 'in order',
    pathParameters: {
      scheduleId: {
        description: 'Id of the schedule: num, realm.num or shard.realm.num.',
        schema: { type: 'string', pattern: '^(\\d{1,4}\\.)?(\\d{1,5}\\.)?\\d{1,10}$' },
        example: '0.0.2000',
      },
    },
    parameters: {},
    answer: one(schedule, 'The schedule.'),
    problems: [400, 404],

    handle: async ({ path: { scheduleId } }, context) => {
      const [row] = await schedule.read(context.db, byId, [scheduleIdOf(scheduleId, context)]);
      if (row === undefined) throw notFound();
      const answer = { status: 200, body: schedule.json(row) };
      return isFinal(row, context) ? { ...answer, cacheSeconds: finalCacheSeconds } : answer;
    },
  });

export const scheduleById = scheduleAt(
  '/api/v1/schedules/{scheduleId}',
  'getSchedule',
  'May be kept for an hour once it is executed, deleted or expired.',
);

export const scheduleByShortPath = scheduleAt(
  '/api/v1/schedule/{scheduleId}',
  'getScheduleByShortPath',
  'The same as `/api/v1/schedules/{scheduleId}`.',
);
