/** `/api/v1/topics/...messages`: the messages of consensus topics. Reads `topic_message` and its lookup table. */
import { type Bounds, boundsOf, conjunction, type Interval } from '../../api/bounds.ts';
import { isPathEntityIdText, readPathEntityId } from '../../api/entity-reference.ts';
import { linksJson } from '../../api/json.ts';
import { limitOf, nextLink, type Order, orderOf, timestampPosition } from '../../api/page.ts';
import {
  encodingParameter,
  isPositiveInt8,
  isTimestampText,
  limitParameter,
  orderParameter,
  positiveInt8Parameter,
  timestampParameter,
} from '../../api/parameter-checks.ts';
import { notFound } from '../../api/problem.ts';
import {
  acceptInOrder,
  acceptSorted,
  allOf,
  type Filter,
  groupQuery,
  invalidParameters,
  lastOf,
} from '../../api/query.ts';
import type { RestAnswer, RestRequest, Route, RouteContext } from '../../api/route.ts';
import { limitParameterDoc, orderParameterDoc, timestampParameterDoc } from '../../api/schemas.ts';
import {
  intervalConditions,
  type StatementBuilder,
  statementBuilder,
  statementName,
  whereClause,
} from '../../api/sql.ts';
import { timestampBounds } from '../../api/timestamp-filter.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { responseCodeNumber } from '../../ledger/response-code.ts';
import { formatTimestamp, parseTimestamp } from '../../ledger/timestamp.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import { type MessageRow, messageColumns, messageJson } from './message-json.ts';
import { lookupSpan, lookupSpans, type TimestampSpan } from './message-lookup.ts';
import { topicMessageSchema, topicMessageSchemas, topicMessagesSchema } from './message-schema.ts';

const listParameters = {
  encoding: encodingParameter,
  limit: limitParameter,
  order: orderParameter,
  sequencenumber: positiveInt8Parameter,
  timestamp: timestampParameter,
};

const sequenceBounds = (filters: readonly Filter[]): Bounds =>
  boundsOf(allOf(filters, 'sequencenumber').map(({ operator, value }) => ({ operator, value: BigInt(value) })));

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

interface MessagePage {
  readonly topicId: EntityId;
  readonly filters: readonly Filter[];
  readonly order: Order;
  readonly limit: number;
}

const readMessages = async (page: MessagePage, context: RouteContext): Promise<readonly MessageRow[]> => {
  const sequenceBound = sequenceBounds(page.filters);
  const timestampBound = timestampBounds(page.filters);
  const byLookup = context.settings.query.topicMessageLookup;
  const spans = byLookup ? await lookupSpans(context.db, page.topicId, sequenceBound, timestampBound) : [];
  if (byLookup && spans.length === 0) return [];
  const sequenceNumbers = conjunction(sequenceBound);
  const timestamps = conjunction(timestampBound);
  if (sequenceNumbers === undefined || timestamps === undefined) return [];
  const builder = statementBuilder();
  const conditions = [
    `topic_id = ${builder.bind(page.topicId)}::bigint`,
    ...intervalConditions(builder, 'sequence_number', sequenceNumbers),
    ...intervalConditions(builder, 'consensus_timestamp', timestamps),
  ];
  const column = byLookup ? 'consensus_timestamp' : orderColumn(page.order, sequenceNumbers, timestamps);
  if (byLookup) conditions.push(spanCondition(builder.bind, spans));
  else if (column === 'sequence_number') {
    conditions.push(...convertedBounds(builder, page.topicId, column, 'consensus_timestamp', timestamps));
  } else conditions.push(...convertedBounds(builder, page.topicId, column, 'sequence_number', sequenceNumbers));
  const text =
    `select ${messageColumns} from topic_message${whereClause(conditions)} ` +
    `order by ${column} ${page.order} limit ${builder.bind(page.limit)}`;
  return context.db.query<MessageRow>(text, builder.values, statementName(text));
};

const listMessages = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const topic = request.pathParameters.topicId ?? '';
  if (!isPathEntityIdText(topic)) throw invalidParameters('topic.id');
  const query = groupQuery(request.query);
  const filters = acceptSorted(query, listParameters, context.settings.query);
  const topicId = readPathEntityId(topic, 'topic.id', context);
  const order = orderOf(filters, 'asc');
  const limit = limitOf(filters, context.settings.response.limit, request.user);
  const rows = await readMessages({ topicId, filters, order, limit }, context);
  const last = rows.at(-1);
  const next =
    last === undefined || rows.length < limit
      ? null
      : nextLink(request, query, order, [timestampPosition(formatTimestamp(last.consensus_timestamp))]);
  const encoding = lastOf(filters, 'encoding')?.value.toLowerCase() ?? 'base64';
  const asText = encoding !== 'base64';
  const messages = rows.map((row) => messageJson(row, asText)).join(',');
  return { status: 200, body: `{"links":${linksJson(next)},"messages":[${messages}]}`, link: next };
};

const answerOne = (rows: readonly MessageRow[]): RestAnswer => {
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw notFound();
  return { status: 200, body: messageJson(row, false) };
};

const getBySequenceNumber = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  acceptInOrder(groupQuery(request.query), {}, context.settings.query);
  const { topicId: topic = '', sequenceNumber = '' } = request.pathParameters;
  const invalid = [
    ...(isPathEntityIdText(topic) ? [] : ['topic.id']),
    ...(isPositiveInt8(sequenceNumber) ? [] : ['sequencenumber']),
  ];
  if (invalid.length > 0) throw invalidParameters(...invalid);
  const topicId = readPathEntityId(topic, 'topic.id', context);
  if (!context.settings.query.topicMessageLookup) {
    return answerOne(
      await context.db.query<MessageRow>(
        `select ${messageColumns} from topic_message where topic_id = $1 and sequence_number = $2 limit 2`,
        [topicId, sequenceNumber],
        'topic-message-by-sequence-number',
      ),
    );
  }
  const span = await lookupSpan(context.db, topicId, sequenceNumber);
  if (span === undefined) throw notFound();
  return answerOne(
    await context.db.query<MessageRow>(
      `select ${messageColumns} from topic_message where topic_id = $1 and sequence_number = $2
        and consensus_timestamp >= $3 and consensus_timestamp < $4 limit 2`,
      [topicId, sequenceNumber, span.from, span.to],
      'topic-message-by-sequence-number-and-span',
    ),
  );
};

const SUCCESS = responseCodeNumber('SUCCESS');

const getByTimestamp = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  acceptInOrder(groupQuery(request.query), {}, context.settings.query);
  const text = request.pathParameters.timestamp ?? '';
  if (!isTimestampText(text)) throw invalidParameters('consensus_timestamp');
  // Through the transaction, since no index of topic_message begins with the timestamp.
  const at = conjunction(boundsOf([{ operator: 'eq', value: parseTimestamp(text) as bigint }]));
  if (at === undefined) throw notFound();
  return answerOne(
    await context.db.query<MessageRow>(
      `select ${messageColumns
        .split(',')
        .map((column) => `m.${column.trim()}`)
        .join(', ')}
        from transaction t join topic_message m on m.topic_id = t.entity_id
          and m.consensus_timestamp = t.consensus_timestamp
        where t.consensus_timestamp = $1 and t.result = $2 and t.type = $3 limit 2`,
      [at.lower, SUCCESS, TransactionType.CONSENSUSSUBMITMESSAGE],
      'topic-message-by-timestamp',
    ),
  );
};

const topicIdDoc = {
  name: 'topicId',
  in: 'path',
  required: true,
  description: 'Id of the topic: num, realm.num or shard.realm.num.',
  schema: { type: 'string', pattern: '^(\\d{1,4}\\.)?(\\d{1,5}\\.)?\\d{1,10}$' },
  example: '0.0.7',
} as const;

const oneMessage = { description: 'The message.', schema: topicMessageSchema };

export const topicMessageRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/topics/{topicId}/messages',
    flavour: 'js',
    operation: {
      operationId: 'getTopicMessages',
      summary: 'List the messages of a topic',
      description: 'Oldest first unless ordered otherwise. A topic that does not exist has no messages.',
      tags: ['topics'],
      parameters: [
        topicIdDoc,
        {
          name: 'encoding',
          in: 'query',
          description: 'Whether contents are given in base64 or as UTF-8 text.',
          schema: { type: 'string', enum: ['base64', 'utf-8', 'utf8'], default: 'base64' },
        },
        limitParameterDoc,
        orderParameterDoc('asc'),
        {
          name: 'sequencenumber',
          in: 'query',
          description: 'Position within the topic, compared by an optional operator. Repeat it for a range.',
          schema: { type: 'array', items: { type: 'string', pattern: '^((gte?|lte?|eq|ne):)?\\d{1,19}$' } },
          example: ['gt:2'],
        },
        timestampParameterDoc,
      ],
      answer: { description: 'One page of messages.', schema: topicMessagesSchema },
      problems: [400],
      schemas: topicMessageSchemas,
    },
    handle: listMessages,
  },
  {
    method: 'GET',
    path: '/api/v1/topics/{topicId}/messages/{sequenceNumber}',
    flavour: 'js',
    cacheSeconds: 600,
    operation: {
      operationId: 'getTopicMessageByIdAndSequenceNumber',
      summary: 'Get a message by its position within the topic',
      tags: ['topics'],
      parameters: [
        topicIdDoc,
        {
          name: 'sequenceNumber',
          in: 'path',
          required: true,
          description: 'Position within the topic, from 1.',
          schema: { type: 'integer', format: 'int64', minimum: 1 },
          example: 2,
        },
      ],
      answer: oneMessage,
      problems: [400, 404],
    },
    handle: getBySequenceNumber,
  },
  {
    method: 'GET',
    path: '/api/v1/topics/messages/{timestamp}',
    flavour: 'js',
    cacheSeconds: 600,
    operation: {
      operationId: 'getTopicMessageByTimestamp',
      summary: 'Get a message by its consensus timestamp',
      tags: ['topics'],
      parameters: [
        {
          name: 'timestamp',
          in: 'path',
          required: true,
          description: 'Consensus timestamp as seconds with up to nine fraction digits.',
          schema: { type: 'string', pattern: '^\\d{1,10}(\\.\\d{1,9})?$' },
          example: '1234567890.000000700',
        },
      ],
      answer: oneMessage,
      problems: [400, 404],
    },
    handle: getByTimestamp,
  },
];
