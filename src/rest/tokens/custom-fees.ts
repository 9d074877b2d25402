/**
 * Custom fees of tokens and topics ([HIP-18](https://hips.hedera.com/hip/hip-18),
 * [HIP-991](https://hips.hedera.com/hip/hip-991)) as REST shows them, from the JSON columns of `custom_fee`.
 */
import { derived, entityIdJson, listSchema, numberJson } from '../../api/resource/field.ts';
import type { Field } from '../../api/resource/field-type.ts';
import { type ExactJsonObject, jsonList, memberText, objectsOf } from '../../api/resource/json-column.ts';
import type { JsonSchema } from '../../api/route.ts';
import { entityIdSchema, int64Schema, objectSchema } from '../../api/schemas.ts';

const exemptSchema: JsonSchema = {
  type: 'boolean',
  description: 'Whether accounts that collect any fee of the token pay none.',
};
const collectorSchema: JsonSchema = { ...entityIdSchema, description: 'Who gets the fee.' };
const fraction = (description: string): JsonSchema =>
  objectSchema({ denominator: int64Schema('Below the line.'), numerator: int64Schema('Above the line.') }, description);
const denominationSchema: JsonSchema = { ...entityIdSchema, description: 'Token that is charged; null: hbar.' };
const chargedAmountSchema = int64Schema('In the smallest unit of the token that is charged, or in tinybars.');

const exemptionAnd = (fee: ExactJsonObject, amount: string): string =>
  `{"all_collectors_are_exempt":${memberText(fee, 'all_collectors_are_exempt') || 'false'},"amount":${amount},` +
  `"collector_account_id":${entityIdJson(memberText(fee, 'collector_account_id'))}`;

const fractionJson = (fee: ExactJsonObject): string =>
  `{"denominator":${numberJson(memberText(fee, 'denominator'))},"numerator":${numberJson(memberText(fee, 'numerator'))}}`;

/** A list of fixed fees. */
export const fixedFees = (sql: string): Field =>
  jsonList(
    sql,
    listSchema(
      objectSchema({
        all_collectors_are_exempt: exemptSchema,
        amount: chargedAmountSchema,
        collector_account_id: collectorSchema,
        denominating_token_id: denominationSchema,
      }),
    ),
    (fee) =>
      `${exemptionAnd(fee, numberJson(memberText(fee, 'amount')))},` +
      `"denominating_token_id":${entityIdJson(memberText(fee, 'denominating_token_id'))}}`,
  );

const fractionalFeeJson = (fee: ExactJsonObject, token: string): string =>
  `${exemptionAnd(fee, fractionJson(fee))},"denominating_token_id":${entityIdJson(token)},` +
  `"maximum":${numberJson(memberText(fee, 'maximum_amount'))},` +
  `"minimum":${numberJson(memberText(fee, 'minimum_amount'))},` +
  `"net_of_transfers":${memberText(fee, 'net_of_transfers') || 'false'}}`;

/** A list of fractional fees, which are always charged in the token itself. */
export const fractionalFees = (sql: string, token: string): Field =>
  derived(
    { fees: sql, token },
    listSchema(
      objectSchema({
        all_collectors_are_exempt: exemptSchema,
        amount: fraction('Part of the transferred amount.'),
        collector_account_id: collectorSchema,
        denominating_token_id: { ...entityIdSchema, description: 'Always the token itself.' },
        maximum: int64Schema('Most that is charged; null: no limit.', { type: ['integer', 'null'] }),
        minimum: int64Schema('Least that is charged.', { type: ['integer', 'null'] }),
        net_of_transfers: {
          type: 'boolean',
          description: 'Whether the sender pays it on top of the transferred amount.',
        },
      }),
    ),
    ({ fees, token: id }) =>
      `[${objectsOf(fees)
        .map((fee) => fractionalFeeJson(fee, id))
        .join(',')}]`,
  );

const fallbackJson = (royalty: ExactJsonObject): string => {
  const fallback = royalty.fallback_fee;
  if (typeof fallback !== 'object' || fallback === null || Array.isArray(fallback)) return 'null';
  const fee = fallback as ExactJsonObject;
  const amount = memberText(fee, 'amount');
  if (amount === '' || amount === '0') return 'null';
  return `{"amount":${amount},"denominating_token_id":${entityIdJson(memberText(fee, 'denominating_token_id'))}}`;
};

/** A list of royalties. */
export const royaltyFees = (sql: string): Field =>
  jsonList(
    sql,
    listSchema(
      objectSchema({
        all_collectors_are_exempt: exemptSchema,
        amount: fraction('Part of what is given in exchange for an NFT.'),
        collector_account_id: collectorSchema,
        fallback_fee: {
          ...objectSchema({ amount: chargedAmountSchema, denominating_token_id: denominationSchema }),
          type: ['object', 'null'],
          description: 'Paid by the receiver when nothing of value is given in exchange.',
        },
      }),
    ),
    (fee) => `${exemptionAnd(fee, fractionJson(fee))},"fallback_fee":${fallbackJson(fee)}}`,
  );
