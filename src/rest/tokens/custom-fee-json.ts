/**
 * Custom fees as REST shows them, written from the text of the jsonb columns of `custom_fee`. Read member by member: a
 * JSON parser would round 64-bit amounts and ids.
 */
import { entityIdJson } from '../../api/json.ts';
import type { EntityId } from '../../ledger/entity-id.ts';

/** An object whose members are scalars or, one level deep, such objects. */
const feeObject = /\{(?:[^{}]|\{[^{}]*\})*\}/g;

/** The objects of a list; of null none. */
const objectsOf = (list: string | null): readonly string[] => list?.match(feeObject) ?? [];

/** Text of a scalar member: digits, `true`, `false`; null when it is null or missing. */
const member = (object: string, name: string): string | null =>
  new RegExp(`"${name}":\\s*(-?\\d+|true|false)`).exec(object)?.[1] ?? null;

const exemptionAnd = (fee: string, amount: string): string =>
  `{"all_collectors_are_exempt":${member(fee, 'all_collectors_are_exempt') ?? 'false'},"amount":${amount},` +
  `"collector_account_id":${entityIdJson(member(fee, 'collector_account_id'))}`;

const fractionOf = (fee: string): string =>
  `{"denominator":${member(fee, 'denominator')},"numerator":${member(fee, 'numerator')}}`;

const fixedFeeJson = (fee: string): string =>
  `${exemptionAnd(fee, member(fee, 'amount') ?? 'null')},` +
  `"denominating_token_id":${entityIdJson(member(fee, 'denominating_token_id'))}}`;

const fractionalFeeJson = (fee: string, tokenId: string): string =>
  `${exemptionAnd(fee, fractionOf(fee))},"denominating_token_id":${entityIdJson(tokenId)},` +
  `"maximum":${member(fee, 'maximum_amount') ?? 'null'},"minimum":${member(fee, 'minimum_amount') ?? 'null'},` +
  `"net_of_transfers":${member(fee, 'net_of_transfers') ?? 'false'}}`;

const fallbackMember = /"fallback_fee":\s*(\{[^{}]*\})/;

const fallbackFeeJson = (fallback: string | undefined): string => {
  const amount = fallback === undefined ? null : member(fallback, 'amount');
  if (fallback === undefined || amount === null || amount === '0') return 'null';
  return `{"amount":${amount},"denominating_token_id":${entityIdJson(member(fallback, 'denominating_token_id'))}}`;
};

const royaltyFeeJson = (fee: string): string => {
  const own = fee.replace(fallbackMember, '');
  return `${exemptionAnd(own, fractionOf(own))},"fallback_fee":${fallbackFeeJson(fallbackMember.exec(fee)?.[1])}}`;
};

/** The list of fixed fees, from the text of `fixed_fees`. */
export const fixedFeesJson = (fees: string | null): string => `[${objectsOf(fees).map(fixedFeeJson).join(',')}]`;

/** The list of fractional fees, from the text of `fractional_fees`; they are always charged in the token itself. */
export const fractionalFeesJson = (fees: string | null, tokenId: EntityId | string): string => {
  const token = tokenId.toString();
  return `[${objectsOf(fees)
    .map((fee) => fractionalFeeJson(fee, token))
    .join(',')}]`;
};

/** The list of royalty fees, from the text of `royalty_fees`. */
export const royaltyFeesJson = (fees: string | null): string => `[${objectsOf(fees).map(royaltyFeeJson).join(',')}]`;
