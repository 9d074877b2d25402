/** A topic as REST shows it, with its custom fees ([HIP-991](https://hips.hedera.com/hip/hip-991)). */
import { keyObjectJson } from '../../api/json.ts';
import {
  bytesOf,
  entityId,
  entityIdJson,
  field,
  flag,
  int64,
  key,
  listSchema,
  nullable,
  object,
  text,
} from '../../api/resource/field.ts';
import { jsonList, memberText } from '../../api/resource/json-column.ts';
import { resource } from '../../api/resource/resource.ts';
import type { JsonSchema } from '../../api/route.ts';
import { entityIdSchema, int64Schema, keySchema } from '../../api/schemas.ts';
import { Key } from '../../protobuf/generated/services/basic_types.ts';
import { FeeExemptKeyList } from '../../protobuf/generated/services/custom_fees.ts';
import { javaTimestamp, javaTimestampRange } from '../network/timestamp-json.ts';

/** A key that was cleared is kept as no bytes. */
const keyUnlessCleared = (column: string, description: string) => key(`nullif(${column}, ''::bytea)`, description);

const keysJson = (list: string): string => {
  const bytes = bytesOf(list);
  if (bytes === null || bytes.length === 0) return '[]';
  const keys = FeeExemptKeyList.decode(bytes).keys.map((key) => keyObjectJson(Buffer.from(Key.encode(key).finish())));
  return `[${keys.join(',')}]`;
};

const feeSchema: JsonSchema = {
  type: 'object',
  required: ['amount', 'collector_account_id', 'denominating_token_id'],
  properties: {
    amount: int64Schema('Tinybars, or the smallest unit of the token.'),
    collector_account_id: { ...entityIdSchema, description: 'Who gets the fee.' },
    denominating_token_id: { ...entityIdSchema, description: 'Token it is paid in; null: hbar.' },
  },
};

const fixedFees = jsonList(
  "case jsonb_typeof(p.fixed_fees) when 'array' then p.fixed_fees end",
  listSchema(feeSchema, 'What a message to the topic costs.'),
  (entry) =>
    `{"amount":${memberText(entry, 'amount') || '0'},` +
    `"collector_account_id":${entityIdJson(memberText(entry, 'collector_account_id'))},` +
    `"denominating_token_id":${entityIdJson(memberText(entry, 'denominating_token_id'))}}`,
);

const feesFrom = nullable(javaTimestamp('p.fees_from'));

/** Over a row of `topic` with what `entity` and `custom_fee` add. */
export const topic = resource({
  name: 'Topic',
  fields: {
    admin_key: keyUnlessCleared('p.admin_key', 'Key that may change and delete the topic.'),
    auto_renew_account: entityId('p.auto_renew_account_id', 'Who pays for the renewal.'),
    auto_renew_period: nullable(
      int64('p.auto_renew_period', 'Seconds by which the expiry is extended when it is reached.'),
    ),
    created_timestamp: nullable(javaTimestamp('p.created_timestamp')),
    custom_fees: object({
      created_timestamp: {
        ...feesFrom,
        schema: { ...feesFrom.schema, description: 'Since when the fees are as they are.' },
      },
      fixed_fees: fixedFees,
    }),
    deleted: nullable(flag('p.deleted')),
    fee_exempt_key_list: field(
      'p.fee_exempt_key_list',
      listSchema(keySchema, 'Keys that need not pay the fees when they sign a message.'),
      keysJson,
    ),
    fee_schedule_key: keyUnlessCleared('p.fee_schedule_key', 'Key that may change the fees.'),
    memo: text("coalesce(p.memo, '')"),
    submit_key: keyUnlessCleared('p.submit_key', 'Key that messages need; null: anybody may send some.'),
    timestamp: javaTimestampRange('lower(p.timestamp_range)', 'upper(p.timestamp_range)'),
    topic_id: entityId('p.id', 'The id.'),
  },
});
