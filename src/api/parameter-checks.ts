/** What values the query parameters take, as checks for query.ts. Most take any operator; some make sense only with `eq`. */

import { MAX_INT64 } from '../ledger/int64.ts';
import { transactionTypeNumber } from '../ledger/transaction-type.ts';
import { isEntityIdText, isEvmAddressText } from './entity-reference.ts';
import type { Operator, ParameterCheck } from './query.ts';

/** The largest value of an `int8` column. */
export const MAX_INT8 = MAX_INT64;

const MAX_INT4 = 2_147_483_647;

/** 1 to 19 digits whose value lies between `min` and 2^63 - 1. */
const isInt8Text = (text: string, min: bigint): boolean => {
  if (!/^\d{1,19}$/.test(text)) return false;
  const value = BigInt(text);
  return value >= min && value <= MAX_INT8;
};

export const isPositiveInt8 = (text: string): boolean => isInt8Text(text, 1n);
export const isNonNegativeInt8 = (text: string): boolean => isInt8Text(text, 0n);

export const isTimestampText = (text: string): boolean => /^\d{1,10}(\.\d{1,9})?$/.test(text);

const oneOf =
  (...values: readonly string[]): ParameterCheck =>
  (_operator, value) =>
    values.includes(value.toLowerCase());

/** Narrows a check to `eq`. */
export const onlyEquals =
  (check: ParameterCheck): ParameterCheck =>
  (operator, value) =>
    operator === 'eq' && check(operator, value);

/** Narrows a check to everything but `ne`. */
const withoutNotEquals =
  (check: ParameterCheck): ParameterCheck =>
  (operator, value) =>
    operator !== 'ne' && check(operator, value);

export const limitParameter: ParameterCheck = (_operator, value) => isPositiveInt8(value);
export const orderParameter: ParameterCheck = oneOf('asc', 'desc');
export const timestampParameter: ParameterCheck = (_operator, value) => isTimestampText(value);
export const positiveInt8Parameter: ParameterCheck = (_operator, value) => isPositiveInt8(value);
export const nonNegativeInt8Parameter: ParameterCheck = (_operator, value) => isNonNegativeInt8(value);
export const booleanParameter: ParameterCheck = onlyEquals(oneOf('true', 'false'));
/** A non-negative int32. */
export const nonNegativeInt4Parameter: ParameterCheck = (_operator, value) =>
  /^\d{1,10}$/.test(value) && Number(value) <= MAX_INT4;
export const nonceParameter: ParameterCheck = onlyEquals(nonNegativeInt4Parameter);
export const transactionTypeParameter: ParameterCheck = (_operator, value) =>
  transactionTypeNumber(value.toUpperCase()) !== undefined;

/** An entity id, or any form of EVM address. */
export const entityIdParameter: ParameterCheck = (_operator, value) =>
  isEntityIdText(value) || isEvmAddressText(value, 'any');

/** An entity id, or an EVM address that is only another way to write a num (long-zero). */
export const entityIdOrLongZeroParameter: ParameterCheck = (_operator, value) =>
  isEntityIdText(value) || isEvmAddressText(value, 'longZero');

/** A block number in decimal or, with `0x`, in hex. */
export const blockNumberParameter: ParameterCheck = withoutNotEquals(
  (_operator: Operator, value: string) => blockNumberOf(value) !== undefined,
);

const blockNumberText = /^(?:\d{1,19}|0x[0-9a-fA-F]+)$/;

/**
 * The block number that a text writes in decimal of up to 19 digits, or in `0x` hex; undefined for any other text. It may
 * lie beyond 2^63 - 1, where no block is.
 */
export const blockNumberOf = (text: string): bigint | undefined =>
  blockNumberText.test(text) ? BigInt(text) : undefined;

// ed25519 has 64 digits, compressed secp256k1 66, ed25519 in DER 88.
const publicKeyText = /^(0x)?([0-9a-fA-F]{64}|[0-9a-fA-F]{66}|[0-9a-fA-F]{88})$/;
const derPrefixOfEd25519 = '302a300506032b6570032100';

export const publicKeyParameter: ParameterCheck = (_operator, value) => publicKeyText.test(value);

/** A public key as the database has it: lower-case hex without `0x` and without the DER frame of ed25519. */
export const publicKeyDigits = (text: string): string => {
  const digits = (text.startsWith('0x') ? text.slice(2) : text).toLowerCase();
  return digits.length === 88 && digits.startsWith(derPrefixOfEd25519)
    ? digits.slice(derPrefixOfEd25519.length)
    : digits;
};
