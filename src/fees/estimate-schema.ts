/** The documentation of an estimate. */
import type { JsonSchema } from '../api/route.ts';
import { int64Schema } from '../api/schemas.ts';

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

const object = (properties: Readonly<Record<string, JsonSchema>>, optional: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});

const amount = (description: string): JsonSchema => int64Schema(`${description}, in tinycents.`, { minimum: 0 });

export const feeEstimateSchemas: Readonly<Record<string, JsonSchema>> = {
  FeeEstimateExtra: object({
    charged: int64Schema('Units to pay for: those counted beyond the included ones.', { minimum: 1 }),
    count: int64Schema('Units that the transaction has.', { minimum: 1 }),
    fee_per_unit: amount('Price of one unit'),
    included: int64Schema('Units that cost nothing.', { minimum: 0 }),
    name: { type: 'string', description: 'What the units are.', examples: ['SIGNATURES', 'KEYS'] },
    subtotal: amount('Price of the units to pay for'),
  }),
  FeeEstimatePart: object({
    base: amount('What is paid in any case'),
    extras: {
      type: 'array',
      description: 'Extras of which there are more than are included.',
      items: ref('FeeEstimateExtra'),
    },
  }),
  FeeEstimateNetwork: object({
    multiplier: { type: 'integer', format: 'int32', description: 'The network gets so many times what the node gets.' },
    subtotal: amount('What the network gets'),
  }),
  FeeEstimateResponse: object(
    {
      high_volume_multiplier: int64Schema('By how much high-volume pricing raised all fees, rounded down.', {
        minimum: 1,
        examples: [1],
      }),
      network: ref('FeeEstimateNetwork'),
      node: ref('FeeEstimatePart'),
      notes: {
        type: 'array',
        description: 'Present when the ledger could not tell all that state mode asks for.',
        items: { type: 'string' },
        examples: [['Intrinsic mode was used in place of state mode: the state of token 0.0.5 is not available.']],
      },
      service: ref('FeeEstimatePart'),
      total: amount('What the transaction costs in all'),
    },
    ['notes'],
  ),
};

export const feeEstimateSchema: JsonSchema = ref('FeeEstimateResponse');
