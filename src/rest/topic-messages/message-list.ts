/** `/api/v1/topics/{topicId}/messages`: the messages of a topic. */
import { type Bounds, conjunction, type Interval } from '../../api/bounds.ts';
import { isPathEntityIdText, readPathEntityId } from '../../api/entity-reference.ts';
import { linksJson } from '../../api/json.ts';
import { nextLink, type Order, timestampPosition } from '../../api/page.ts';
import { invalidParameters } from '../../api/query.ts';
import { endpoint } from '../../api/resource/endpoint.ts';
import { listSchema } from '../../api/resource/field.ts';
import { limit, order, type Parameter, positiveIntegers, timestamps } from '../../api/resource/parameter.ts';
import type { RouteContext } from '../../api/route.ts';
import { linksSchema, objectSchema } from '../../api/schemas.ts';
import { intervalConditions, type StatementBuilder, statementBuilder, whereClause } from '../../api/sql.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { lookupSpans, type TimestampSpan } from './message-lookup.ts';
import { type TopicMessageRow, topicMessage, topicMessageAsText } from './topic-message.ts';
import { topicIdPath } from './topic-path.ts';

/**
 * The column whose index finds the page without reading past messages before it: the one bounded where the order begins.
 * Both rise together within a topic, so that either gives the same order.
 */
const orderColumn = (order: Order, sequenceNumbers: Interval, timestamps: Interval): string => {
  const start = order === 'asc' ? 'lower' : 'upper';
  return timestamps[start] === null && sequenceNumbers[start] !== null ? 'sequence_number' : 'consensus_timestamp';
};

/**
 * The bounds of the column that the page is not ordered by, as bounds of the one that it is. They hold by themselves too,
 * but would not keep the walk through the index from going on where nothing can match any more.
 */
const convertedBounds = (
  { bind }: StatementBuilder,
  topicId: EntityId,
  column: string,
  other: string,
  bounds: Interval,
): string[] => {
  const end = (bound: bigint | null, operator: string, order: Order): string[] =>
    bound === null
      ? []
      : [
          `${column} ${operator} (select ${column} from topic_message where topic_id = ${bind(topicId)}::bigint
            and ${other} ${operator} ${bind(bound)}::bigint order by ${other} ${order} limit 1)`,
        ];
  return [...end(bounds.lower, '>=', 'asc'), ...end(bounds.upper, '<=', 'desc')];
};

const spanCondition = (bind: (value: unknown) => string, spans: readonly TimestampSpan[]): string => {
  const from = bind(spans.map((span) => span.from));
  const to = bind(spans.map((span) => span.to));
  // The outer bounds let the planner leave out partitions; the inner ones hold for each span.
  return (
    `consensus_timestamp >= (select min(f) from unnest(${from}::bigint[]) f) ` +
    `and consensus_timestamp < (select max(t) from unnest(${to}::bigint[]) t) and exists (` +
    `select from unnest(${from}::bigint[], ${to}::bigint[]) span(f, t) ` +
    'where consensus_timestamp >= span.f and consensus_timestamp < span.t)'
  );
};

interface MessageSearch {
  readonly topicId: EntityId;
  readonly sequenceNumbers: Bounds;
  readonly timestamps: Bounds;
  readonly order: Order;
  readonly limit: number;
}

const readMessages = async (search: MessageSearch, context: RouteContext): Promise<readonly TopicMessageRow[]> => {
  const byLookup = context.settings.query.topicMessageLookup;
  const spans = byLookup
    ? await lookupSpans(context.db, search.topicId, search.sequenceNumbers, search.timestamps)
    : [];
  if (byLookup && spans.length === 0) return [];
  const sequenceNumbers = conjunction(search.sequenceNumbers);
  const times = conjunction(search.timestamps);
  if (sequenceNumbers === undefined || times === undefined) return [];
  const builder = statementBuilder();
  const conditions = [
    `topic_id = ${builder.bind(search.topicId)}::bigint`,
    ...intervalConditions(builder, 'sequence_number', sequenceNumbers),
    ...intervalConditions(builder, 'consensus_timestamp', times),
  ];
  const column = byLookup ? 'consensus_timestamp' : orderColumn(search.order, sequenceNumbers, times);
  if (byLookup) conditions.push(spanCondition(builder.bind, spans));
  else if (column === 'sequence_number') {
    conditions.push(...convertedBounds(builder, search.topicId, column, 'consensus_timestamp', times));
  } else conditions.push(...convertedBounds(builder, search.topicId, column, 'sequence_number', sequenceNumbers));
  const page = `select ${topicMessage.columns.join(', ')} from topic_message${whereClause(conditions)}
    order by ${column} ${search.order} limit ${builder.bind(search.limit)}`;
  return topicMessage.read(context.db, topicMessage.statement(page, `p.${column} ${search.order}`), builder.values);
};

/** Whether contents are given as UTF-8 text. */
const asText: Parameter<boolean> = {
  accepts: (_operator, value) => ['base64', 'utf8', 'utf-8'].includes(value.toLowerCase()),
  read: (filters) => (filters.at(-1)?.value.toLowerCase() ?? 'base64') !== 'base64',
  doc: {
    description: 'Whether contents are given in base64 or as UTF-8 text.',
    schema: { type: 'string', enum: ['base64', 'utf-8', 'utf8'], default: 'base64' },
  },
};

export const messageList = endpoint({
  path: '/api/v1/topics/{topicId}/messages',
  flavour: 'js',
  operationId: 'getTopicMessages',
  summary: 'List the messages of a topic',
  description: 'Oldest first unless ordered otherwise. A topic that does not exist has no messages.',
  tag: 'topics',
  refusals: 'sorted',
  pathParameters: { topicId: topicIdPath },
  parameters: {
    encoding: asText,
    limit,
    order: order('asc'),
    sequencenumber: positiveIntegers(
      'Position within the topic, compared by an optional operator. Repeat it for a range.',
      ['gt:2'],
    ),
    timestamp: timestamps,
  },
  answer: {
    description: 'One page of messages.',
    schema: objectSchema({ links: linksSchema, messages: listSchema(topicMessage.schema) }),
    schemas: topicMessage.schemas,
  },
  problems: [400],

  resolve: ({ path: { topicId } }) => {
    if (!isPathEntityIdText(topicId)) throw invalidParameters('topic.id');
  },

  handle: async ({ request, path, query, grouped }, context) => {
    const search = {
      topicId: readPathEntityId(path.topicId, 'topic.id', context),
      sequenceNumbers: query.sequencenumber,
      timestamps: query.timestamp,
      order: query.order,
      limit: query.limit,
    };
    const rows = await readMessages(search, context);
    const last = rows.at(-1);
    const link =
      last === undefined || rows.length < query.limit
        ? null
        : nextLink(request, grouped, query.order, [timestampPosition(formatTimestamp(last.consensusTimestamp))]);
    const { json } = query.encoding ? topicMessageAsText : topicMessage;
    return { status: 200, body: `{"links":${linksJson(link)},"messages":[${rows.map(json).join(',')}]}`, link };
  },
});
