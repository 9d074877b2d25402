/**
 * GET /api/v1/topics/{topicId}: a topic as it stands, with its custom fees
 * ([HIP-991](https://hips.hedera.com/hip/hip-991)).
 */
import { booleanJson, entityIdJson, integerJson, keyObjectJson, textJson } from '../../api/json.ts';
import { reasonedProblem } from '../../api/problem.ts';
import type { RestAnswer, RestRequest, Route, RouteContext } from '../../api/route.ts';
import { type EntityId, formatEntityId, parseEntityId } from '../../ledger/entity-id.ts';
import { Key } from '../../protobuf/generated/services/basic_types.ts';
import { FeeExemptKeyList } from '../../protobuf/generated/services/custom_fees.ts';
import { timestampJson } from '../network/timestamp-json.ts';
import { topicSchema, topicSchemas } from './topic-schema.ts';

interface TopicRow {
  readonly admin_key: Buffer | null;
  readonly auto_renew_account_id: string | null;
  /** Seconds. */
  readonly auto_renew_period: string | null;
  readonly created_timestamp: string | null;
  readonly deleted: boolean | null;
  /** Since when the custom fees are as they are. */
  readonly fees_from: string | null;
  /** Serialized list of keys whose holders pay no custom fees. */
  readonly fee_exempt_key_list: Buffer | null;
  readonly fee_schedule_key: Buffer | null;
  /** `amount collector token` of each fee, separated by commas; ids are digits, 0 for none. */
  readonly fixed_fees: string;
  readonly memo: string | null;
  readonly submit_key: Buffer | null;
  readonly valid_from: string;
  readonly valid_to: string | null;
}

const topicSql = `
  select t.admin_key, e.auto_renew_account_id, e.auto_renew_period, e.created_timestamp, e.deleted,
    coalesce(lower(f.timestamp_range), e.created_timestamp) as fees_from, t.fee_exempt_key_list, t.fee_schedule_key,
    coalesce((
      select string_agg(
        concat_ws(' ', coalesce(fee ->> 'amount', '0'), coalesce(fee ->> 'collector_account_id', '0'),
          coalesce(fee ->> 'denominating_token_id', '0')),
        ',' order by position)
      from jsonb_array_elements(case jsonb_typeof(f.fixed_fees) when 'array' then f.fixed_fees else '[]' end)
        with ordinality as fees(fee, position)
    ), '') as fixed_fees,
    e.memo, t.submit_key, lower(e.timestamp_range) as valid_from, upper(e.timestamp_range) as valid_to
  from topic t
  join entity e on e.id = t.id
  left join custom_fee f on f.entity_id = t.id
  where t.id = $1`;

const feesJson = (packed: string): string => {
  if (packed === '') return '[]';
  const fees = packed.split(',').map((fee) => {
    const [amount = '0', collector = '0', token = '0'] = fee.split(' ');
    return (
      `{"amount":${amount},"collector_account_id":${entityIdJson(collector)},` +
      `"denominating_token_id":${entityIdJson(token)}}`
    );
  });
  return `[${fees.join(',')}]`;
};

/** A key that was cleared is kept as no bytes. */
const keyJsonOrNull = (bytes: Buffer | null): string => keyObjectJson(bytes?.length === 0 ? null : bytes);

const keysJson = (list: Buffer | null): string => {
  if (list === null || list.length === 0) return '[]';
  const keys = FeeExemptKeyList.decode(list).keys.map((key) => keyObjectJson(Buffer.from(Key.encode(key).finish())));
  return `[${keys.join(',')}]`;
};

const topicJson = (id: EntityId, row: TopicRow): string =>
  `{"admin_key":${keyJsonOrNull(row.admin_key)},"auto_renew_account":${entityIdJson(row.auto_renew_account_id)},` +
  `"auto_renew_period":${integerJson(row.auto_renew_period)},` +
  `"created_timestamp":${timestampJson(row.created_timestamp)},` +
  `"custom_fees":{"created_timestamp":${timestampJson(row.fees_from)},"fixed_fees":${feesJson(row.fixed_fees)}},` +
  `"deleted":${booleanJson(row.deleted)},"fee_exempt_key_list":${keysJson(row.fee_exempt_key_list)},` +
  `"fee_schedule_key":${keyJsonOrNull(row.fee_schedule_key)},"memo":${textJson(row.memo ?? '')},` +
  `"submit_key":${keyJsonOrNull(row.submit_key)},` +
  `"timestamp":{"from":${timestampJson(row.valid_from)},"to":${timestampJson(row.valid_to)}},` +
  `"topic_id":"${formatEntityId(id)}"}`;

const idText = /^(?:\d{1,4}\.)?(?:\d{1,5}\.)?\d{1,10}$/;

const topicIdOf = (text: string, context: RouteContext): EntityId => {
  const id = idText.test(text) ? parseEntityId(text, context) : undefined;
  if (id === undefined) throw reasonedProblem(400, "Invalid value for path variable 'id'");
  return id;
};

const getTopic = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const id = topicIdOf(request.pathParameters.topicId ?? '', context);
  const [row] = await context.db.query<TopicRow>(topicSql, [id], 'topic-by-id');
  if (row === undefined) throw reasonedProblem(404, `Entity not found: ${formatEntityId(id)}`);
  return { status: 200, body: topicJson(id, row) };
};

export const topicRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/topics/{topicId}',
    flavour: 'java',
    cacheSeconds: 5,
    operation: {
      operationId: 'getTopic',
      summary: 'Get a topic',
      description: 'Its keys, memo, renewal and the custom fees that messages to it cost.',
      tags: ['topics'],
      parameters: [
        {
          name: 'topicId',
          in: 'path',
          required: true,
          description: 'Id of the topic: num, realm.num or shard.realm.num.',
          schema: { type: 'string', pattern: '^(\\d{1,4}\\.)?(\\d{1,5}\\.)?\\d{1,10}$' },
          example: '0.0.7',
        },
      ],
      answer: { description: 'The topic.', schema: topicSchema },
      problems: [400, 404],
      schemas: topicSchemas,
    },
    handle: getTopic,
  },
];
