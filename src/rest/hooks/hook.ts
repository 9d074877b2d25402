/** A hook of an account or contract ([HIP-1195](https://hips.hedera.com/hip/hip-1195)), as REST shows it. */
import { derived, entityId, flag, int64, key, nullable, plainText } from '../../api/resource/field.ts';
import { resource } from '../../api/resource/resource.ts';
import { nullable as nullableSchema, openRange } from '../network/schemas.ts';
import { javaTimestamp, timestampJson } from '../network/timestamp-json.ts';

/** How often a filter may be repeated. */
export const mostRepeats = 100;

export const hookId = int64('p.hook_id', 'Number that the owner gave the hook.', { minimum: 0 });
export const ownerId = entityId('p.owner_id', 'Account or contract that has the hook.');

/** Over a row of `hook`. */
export const hook = resource({
  name: 'Hook',
  keys: { hookId: 'p.hook_id' },
  fields: {
    admin_key: key('p.admin_key', 'Key that may change the storage beside the owner.'),
    contract_id: entityId('p.contract_id', 'Contract that is run.'),
    created_timestamp: nullable(javaTimestamp('p.created_timestamp')),
    deleted: flag('p.deleted'),
    extension_point: plainText('p.extension_point', {
      enum: ['ACCOUNT_ALLOWANCE_HOOK'],
      description: 'When it is run.',
    }),
    hook_id: hookId,
    owner_id: ownerId,
    timestamp_range: derived(
      { from: 'lower(p.timestamp_range)', to: 'upper(p.timestamp_range)' },
      nullableSchema(openRange),
      ({ from, to }) => (from === '' ? 'null' : `{"from":${timestampJson(from)},"to":${timestampJson(to)}}`),
    ),
    type: plainText('p.type', { enum: ['EVM'] }),
  },
});
