/** `/api/v1/schedules`: schedules by id and creator. */
import { conjunction, type Interval } from '../../api/bounds.ts';
import { entityIdPosition } from '../../api/entity-position.ts';
import { entityIdBounds } from '../../api/entity-reference.ts';
import { nextLink, type Order } from '../../api/page.ts';
import { endpoint, pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import { entityIds, idsOrLongZeroAddresses, limit, order } from '../../api/resource/parameter.ts';
import type { RouteContext } from '../../api/route.ts';
import { intervalConditions, rangeConditions, statementBuilder, whereClause } from '../../api/sql.ts';
import { type SteppedResult, searchInSteps } from '../../api/stepped-search.ts';
import type { Reader } from '../../database/connection.ts';
import { schedule, scheduleStatement } from './schedule.ts';

type ScheduleRow = Awaited<ReturnType<typeof schedule.read>>[number];

interface ScheduleSearch {
  readonly creators: Interval;
  readonly order: Order;
}

const isBounded = ({ lower, upper, excluded }: Interval): boolean =>
  lower !== null || upper !== null || excluded.length > 0;

const findSchedules = async (
  db: Reader,
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
      ? rangeConditions(builder, 'creator_account_id', creators)
      : [`creator_account_id >= ${creator}::bigint and creator_account_id <= ${creator}::bigint`];
  const conditions = [...ofCreators, ...intervalConditions(builder, 'schedule_id', schedules)];
  const leading = isOneCreator ? `creator_account_id ${order}, ` : '';
  const page =
    `select * from schedule${whereClause(conditions)} ` +
    `order by ${leading}schedule_id ${order} limit ${builder.bind(limit)}`;
  return schedule.read(db, scheduleStatement(page, `p.schedule_id ${order}`), builder.values);
};

/** The schedules of some creators may lie far apart among those of others. */
const readSchedules = async (
  search: ScheduleSearch,
  interval: Interval,
  limit: number,
  context: RouteContext,
): Promise<SteppedResult<ScheduleRow>> => {
  const find = (db: Reader, schedules: Interval, most: number) => findSchedules(db, search, schedules, most);
  if (!isBounded(search.creators)) return { rows: await find(context.db, interval, limit), examinedTo: null };
  const { order } = search;
  return searchInSteps({ interval, order, limit, tables: ['schedule'], idColumn: 'schedule_id', find }, context);
};

export const scheduleList = endpoint({
  path: '/api/v1/schedules',
  flavour: 'js',
  cacheSeconds: 10,
  operationId: 'getSchedules',
  summary: 'List schedules',
  description: 'By id, smallest first unless ordered otherwise.',
  tag: 'schedules',
  refusals: 'sorted',
  parameters: {
    'account.id': entityIds('Who created it, compared by an optional operator. Repeat it for a range.'),
    limit,
    order: order('asc'),
    'schedule.id': idsOrLongZeroAddresses('Schedule, compared by an optional operator. Repeat it for a range.'),
  },
  answer: pageOf('schedules', schedule, 'One page of schedules.'),
  problems: [400],

  handle: async ({ request, query, grouped }, context) => {
    const creatorBounds = entityIdBounds(query['account.id']);
    const scheduleBounds = entityIdBounds(query['schedule.id']);
    const creators = creatorBounds && conjunction(creatorBounds);
    const interval = scheduleBounds && conjunction(scheduleBounds);
    if (creators === undefined || interval === undefined) return pageAnswer('schedules', [], schedule.put, null);
    const search = { creators, order: query.order };
    const { rows, examinedTo } = await readSchedules(search, interval, query.limit, context);
    const last = rows.at(-1);
    const passed = last === undefined || rows.length < query.limit ? examinedTo?.toString() : last.id;
    const link =
      passed === undefined
        ? null
        : nextLink(request, grouped, query.order, [entityIdPosition('schedule.id', passed, context)]);
    return pageAnswer('schedules', rows, schedule.put, link);
  },
});
