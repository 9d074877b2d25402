/** A slot of a hook's storage as REST shows it. */
import { field } from '../../api/resource/field.ts';
import { resource } from '../../api/resource/resource.ts';
import type { JsonSchema } from '../../api/route.ts';
import { WORD_DIGITS, wordJson } from '../contracts/evm-fields.ts';
import { timestamp } from '../network/schemas.ts';
import { javaTimestamp } from '../network/timestamp-json.ts';

const wordSchema: JsonSchema = { type: 'string', pattern: `^0x[0-9a-f]{${WORD_DIGITS}}$` };

/** Over a row with `key`, `timestamp` and `value`. */
export const hookSlot = resource({
  name: 'HookStorage',
  keys: { key: 'p.key' },
  fields: {
    key: field('p.key', { ...wordSchema, description: 'The slot.' }, wordJson),
    timestamp: {
      ...javaTimestamp('p.timestamp'),
      schema: { ...timestamp, description: 'When it last changed.' },
    },
    value: field(
      "nullif(p.value, ''::bytea)",
      { ...wordSchema, type: ['string', 'null'], description: 'What it holds; null where a change cleared it.' },
      wordJson,
    ),
  },
});
