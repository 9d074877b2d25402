/** GET /api/v1/topics/{topicId}: a topic as it stands. */
import { reasonedProblem } from '../../api/problem.ts';
import { one, oneAnswer } from '../../api/resource/endpoint.ts';
import { javaEndpoint } from '../../api/resource/java-endpoint.ts';
import type { Route, RouteContext } from '../../api/route.ts';
import { type EntityId, formatEntityId, parseEntityId } from '../../ledger/entity-id.ts';
import { topic } from './topic.ts';

const idText = /^(?:\d{1,4}\.)?(?:\d{1,5}\.)?\d{1,10}$/;

const topicIdOf = (text: string, context: RouteContext): EntityId => {
  const id = idText.test(text) ? parseEntityId(text, context) : undefined;
  if (id === undefined) throw reasonedProblem(400, "Invalid value for path variable 'id'");
  return id;
};

const byId = topic.statement(
  `select t.id, t.admin_key, t.fee_exempt_key_list, t.fee_schedule_key, t.submit_key, e.auto_renew_account_id,
    e.auto_renew_period, e.created_timestamp, e.deleted, e.memo, e.timestamp_range, f.fixed_fees,
    coalesce(lower(f.timestamp_range), e.created_timestamp) as fees_from
  from topic t
  join entity e on e.id = t.id
  left join custom_fee f on f.entity_id = t.id
  where t.id = $1`,
  'p.id',
);

const topicById = javaEndpoint({
  path: '/api/v1/topics/{topicId}',
  cacheSeconds: 5,
  operationId: 'getTopic',
  summary: 'Get a topic',
  description: 'Its keys, memo, renewal and the custom fees that messages to it cost.',
  tag: 'topics',
  pathParameters: {
    topicId: {
      description: 'Id of the topic: num, realm.num or shard.realm.num.',
      schema: { type: 'string', pattern: '^(\\d{1,4}\\.)?(\\d{1,5}\\.)?\\d{1,10}$' },
      example: '0.0.7',
    },
  },
  parameters: {},
  answer: one(topic, 'The topic.'),
  problems: [400, 404],

  handle: async ({ path: { topicId } }, context) => {
    const id = topicIdOf(topicId, context);
    const [row] = await topic.read(context.db, byId, [id]);
    if (row === undefined) throw reasonedProblem(404, `Entity not found: ${formatEntityId(id)}`);
    return oneAnswer(row, topic.put);
  },
});

export const topicRoutes: readonly Route[] = [topicById];
