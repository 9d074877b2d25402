/** `/api/v1/topics/{topicId}/messages/{sequenceNumber}` and `/api/v1/topics/messages/{timestamp}`: one message. */

import { boundsOf, conjunction } from '../../api/bounds.ts';
import { isPathEntityIdText, readPathEntityId } from '../../api/entity-reference.ts';
import { isPositiveInt8, isTimestampText } from '../../api/parameter-checks.ts';
import { notFound } from '../../api/problem.ts';
import { invalidParameters } from '../../api/query.ts';
import { endpoint, one, oneAnswer } from '../../api/resource/endpoint.ts';
import type { PageStatement } from '../../api/resource/resource.ts';
import type { RestAnswer } from '../../api/route.ts';
import { responseCodeNumber } from '../../ledger/response-code.ts';
import { parseTimestamp } from '../../ledger/timestamp.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import { lookupSpan } from './message-lookup.ts';
import { type TopicMessageRow, topicMessage } from './topic-message.ts';
import { topicIdPath } from './topic-path.ts';

const SUCCESS = responseCodeNumber('SUCCESS');

const statement = (page: string): PageStatement => topicMessage.statement(page, 'p.consensus_timestamp');
const columns = topicMessage.columns.map((column) => `m.${column}`).join(', ');

const ofTopic = `select ${columns} from topic_message m where topic_id = $1 and sequence_number = $2`;
const bySequenceNumber = statement(`${ofTopic} limit 2`);
const bySequenceNumberWithin = statement(
  `${ofTopic} and consensus_timestamp >= $3 and consensus_timestamp < $4 limit 2`,
);

// Through the transaction, since no index of topic_message begins with the timestamp.
const byTimestamp = statement(`select ${columns} from transaction t
  join topic_message m on m.topic_id = t.entity_id and m.consensus_timestamp = t.consensus_timestamp
  where t.consensus_timestamp = $1 and t.result = $2 and t.type = $3 limit 2`);

const answerOne = (rows: readonly TopicMessageRow[]): RestAnswer => {
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw notFound();
  return oneAnswer(row, topicMessage.put);
};

const common = {
  flavour: 'js',
  cacheSeconds: 600,
  tag: 'topics',
  refusals: 'in order',
  parameters: {},
  answer: one(topicMessage, 'The message.'),
  problems: [400, 404],
} as const;

export const messageBySequenceNumber = endpoint({
  ...common,
  path: '/api/v1/topics/{topicId}/messages/{sequenceNumber}',
  operationId: 'getTopicMessageByIdAndSequenceNumber',
  summary: 'Get a message by its position within the topic',
  pathParameters: {
    topicId: topicIdPath,
    sequenceNumber: {
      description: 'Position within the topic, from 1.',
      schema: { type: 'integer', format: 'int64', minimum: 1 },
      example: 2,
    },
  },

  handle: async ({ path }, context) => {
    const { sequenceNumber } = path;
    const invalid = [
      ...(isPathEntityIdText(path.topicId) ? [] : ['topic.id']),
      ...(isPositiveInt8(sequenceNumber) ? [] : ['sequencenumber']),
    ];
    if (invalid.length > 0) throw invalidParameters(...invalid);
    const topicId = readPathEntityId(path.topicId, 'topic.id', context);
    if (!context.settings.query.topicMessageLookup) {
      return answerOne(await topicMessage.read(context.db, bySequenceNumber, [topicId, sequenceNumber]));
    }
    const span = await lookupSpan(context.db, topicId, sequenceNumber);
    if (span === undefined) throw notFound();
    const values = [topicId, sequenceNumber, span.from, span.to];
    return answerOne(await topicMessage.read(context.db, bySequenceNumberWithin, values));
  },
});

export const messageByTimestamp = endpoint({
  ...common,
  path: '/api/v1/topics/messages/{timestamp}',
  operationId: 'getTopicMessageByTimestamp',
  summary: 'Get a message by its consensus timestamp',
  pathParameters: {
    timestamp: {
      description: 'Consensus timestamp as seconds with up to nine fraction digits.',
      schema: { type: 'string', pattern: '^\\d{1,10}(\\.\\d{1,9})?$' },
      example: '1234567890.000000700',
    },
  },

  handle: async ({ path: { timestamp } }, { db }) => {
    if (!isTimestampText(timestamp)) throw invalidParameters('consensus_timestamp');
    const at = conjunction(boundsOf([{ operator: 'eq', value: parseTimestamp(timestamp) as bigint }]));
    if (at === undefined) throw notFound();
    const values = [at.lower, SUCCESS, TransactionType.CONSENSUSSUBMITMESSAGE];
    return answerOne(await topicMessage.read(db, byTimestamp, values));
  },
});
