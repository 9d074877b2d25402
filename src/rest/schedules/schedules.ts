/** `/api/v1/schedules...`: scheduled transactions, their signatures and what has become of them. */
import { conjunction, type Interval } from '../../api/bounds.ts';
import { entityIdPosition } from '../../api/entity-position.ts';
import {
  entityIdBounds,
  entityIdFilters,
  isPathEntityIdText,
  readEntityReference,
} from '../../api/entity-reference.ts';
import { linksJson } from '../../api/json.ts';
import { limitOf, nextLink, type Order, orderOf } from '../../api/page.ts';
import {
  entityIdOrLongZeroParameter,
  entityIdParameter,
  limitParameter,
  orderParameter,
} from '../../api/parameter-checks.ts';
import { HttpProblem, notFound } from '../../api/problem.ts';
import { acceptInOrder, acceptSorted, type Filter, groupQuery, invalidParameters } from '../../api/query.ts';
import type { RestAnswer, RestRequest, Route, RouteContext } from '../../api/route.ts';
import { entityIdParameterDoc, limitParameterDoc, orderParameterDoc } from '../../api/schemas.ts';
import { intervalConditions, statementBuilder, statementName, whereClause } from '../../api/sql.ts';
import { type SteppedResult, searchInSteps } from '../../api/stepped-search.ts';
import type { Queryable } from '../../database/connection.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { NANOS_PER_SECOND } from '../../ledger/timestamp.ts';
import { type ScheduleRow, scheduleJson, selectSchedules } from './schedule-json.ts';
import { scheduleSchema, scheduleSchemas, schedulesSchema } from './schedule-schema.ts';

const listParameters = {
  'account.id': entityIdParameter,
  limit: limitParameter,
  order: orderParameter,
  'schedule.id': entityIdOrLongZeroParameter,
};

interface ScheduleSearch {
  readonly creators: Interval;
  readonly order: Order;
}

const isBounded = ({ lower, upper, excluded }: Interval): boolean =>
  lower !== null || upper !== null || excluded.length > 0;

const findSchedules = async (
  db: Queryable,
  { creators, order }: ScheduleSearch,
  schedules: Interval,
  limit: number,
): Promise<readonly ScheduleRow[]> => {
  const builder = statementBuilder();
  const isOneCreator = creators.lower !== null && creators.lower === creators.upper;
  // One creator as a range: the index by creator and id gives the order; with one by creator alone few rows are sorted.
  const creator = isOneCreator ? builder.bind(creators.lower) : undefined;
  const ofCreators =
    creator === undefined
      ? intervalConditions(builder, 'creator_account_id', creators)
      : [`creator_account_id >= ${creator}::bigint and creator_account_id <= ${creator}::bigint`];
  const conditions = [...ofCreators, ...intervalConditions(builder, 'schedule_id', schedules)];
  const leading = isOneCreator ? `creator_account_id ${order}, ` : '';
  const page =
    `select * from schedule${whereClause(conditions)} ` +
    `order by ${leading}schedule_id ${order} limit ${builder.bind(limit)}`;
  const text = `${selectSchedules(`(${page})`)} order by s.schedule_id ${order}`;
  return db.query<ScheduleRow>(text, builder.values, statementName(text));
};

/** The schedules of some creators may lie far apart among those of others. */
const readSchedules = async (
  filters: readonly Filter[],
  order: Order,
  limit: number,
  context: RouteContext,
): Promise<SteppedResult<ScheduleRow>> => {
  const creatorBounds = entityIdBounds(entityIdFilters(filters, 'account.id', context));
  const scheduleBounds = entityIdBounds(entityIdFilters(filters, 'schedule.id', context));
  const creators = creatorBounds && conjunction(creatorBounds);
  const interval = scheduleBounds && conjunction(scheduleBounds);
  if (creators === undefined || interval === undefined) return { rows: [], examinedTo: null };
  const search = { creators, order };
  const find = (db: Queryable, schedules: Interval, most: number) => findSchedules(db, search, schedules, most);
  if (!isBounded(creators)) return { rows: await find(context.db, interval, limit), examinedTo: null };
  return searchInSteps({ interval, order, limit, tables: ['schedule'], idColumn: 'schedule_id', find }, context);
};

const listSchedules = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const query = groupQuery(request.query);
  const filters = acceptSorted(query, listParameters, context.settings.query);
  const order = orderOf(filters, 'asc');
  const limit = limitOf(filters, context.settings.response.limit, request.user);
  const { rows, examinedTo } = await readSchedules(filters, order, limit, context);
  const last = rows.at(-1);
  const passed = last === undefined || rows.length < limit ? examinedTo?.toString() : last.schedule_id;
  const next =
    passed === undefined ? null : nextLink(request, query, order, [entityIdPosition('schedule.id', passed, context)]);
  const body = `{"schedules":[${rows.map(scheduleJson).join(',')}],"links":${linksJson(next)}}`;
  return { status: 200, body, link: next };
};

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
  if (row.executed_timestamp !== null || row.deleted === true) return true;
  const expiry =
    row.expiration_time === null ? BigInt(row.consensus_timestamp) + usualLifetime : BigInt(row.expiration_time);
  return clock() > expiry + BigInt(settings.query.maxRecordFileCloseInterval) * nanosPerMillisecond;
};

const scheduleByIdSql = `${selectSchedules('schedule')} where s.schedule_id = $1`;

const getSchedule = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  acceptInOrder(groupQuery(request.query), {}, context.settings.query);
  const id = scheduleIdOf(request.pathParameters.scheduleId ?? '', context);
  const [row] = await context.db.query<ScheduleRow>(scheduleByIdSql, [id], 'schedule-by-id');
  if (row === undefined) throw notFound();
  const answer = { status: 200, body: scheduleJson(row) };
  return isFinal(row, context) ? { ...answer, cacheSeconds: finalCacheSeconds } : answer;
};

const singleRoute = (path: string, operationId: string, description: string): Route => ({
  method: 'GET',
  path,
  flavour: 'js',
  operation: {
    operationId,
    summary: 'Get a schedule',
    description,
    tags: ['schedules'],
    parameters: [
      {
        name: 'scheduleId',
        in: 'path',
        required: true,
        description: 'Id of the schedule: num, realm.num or shard.realm.num.',
        schema: { type: 'string', pattern: '^(\\d{1,4}\\.)?(\\d{1,5}\\.)?\\d{1,10}$' },
        example: '0.0.2000',
      },
    ],
    answer: { description: 'The schedule.', schema: scheduleSchema },
    problems: [400, 404],
    schemas: scheduleSchemas,
  },
  handle: getSchedule,
});

export const scheduleRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/schedules',
    flavour: 'js',
    cacheSeconds: 10,
    operation: {
      operationId: 'getSchedules',
      summary: 'List schedules',
      description: 'By id, smallest first unless ordered otherwise.',
      tags: ['schedules'],
      parameters: [
        entityIdParameterDoc('account.id', 'Who created it, compared by an optional operator. Repeat it for a range.'),
        limitParameterDoc,
        orderParameterDoc('asc'),
        entityIdParameterDoc('schedule.id', 'Schedule, compared by an optional operator. Repeat it for a range.'),
      ],
      answer: { description: 'One page of schedules.', schema: schedulesSchema },
      problems: [400],
      schemas: scheduleSchemas,
    },
    handle: listSchedules,
  },
  singleRoute(
    '/api/v1/schedules/{scheduleId}',
    'getSchedule',
    'May be kept for an hour once it is executed, deleted or expired.',
  ),
  singleRoute(
    '/api/v1/schedule/{scheduleId}',
    'getScheduleByShortPath',
    'The same as `/api/v1/schedules/{scheduleId}`.',
  ),
];
