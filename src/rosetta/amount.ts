/** Amounts of hbar, the one currency of this interface. */

import { MAX_INT64, MIN_INT64 } from '../ledger/int64.ts';
import { isObject, type JsonObject } from './request.ts';
import { rosettaError } from './rosetta-error.ts';

const currency = { symbol: 'HBAR', decimals: 8, metadata: { issuer: 'Hedera' } } as const;

export interface Amount {
  /** Tinybars, decimal. */
  readonly value: string;
  readonly currency: typeof currency;
}

export const hbarAmount = (tinybars: bigint): Amount => ({ value: tinybars.toString(), currency });

const INTEGER = /^[+-]?\d{1,20}$/;

const isHbar = (asked: unknown): boolean => {
  if (!isObject(asked) || asked.symbol !== currency.symbol || asked.decimals !== currency.decimals) return false;
  const { metadata } = asked;
  return isObject(metadata) && metadata.issuer === currency.metadata.issuer && Object.keys(metadata).length === 1;
};

/** Tinybars of an amount in a request. @throws RosettaError 104, 134 */
export const tinybarsOf = (amount: JsonObject): bigint => {
  if (!isHbar(amount.currency)) throw rosettaError('invalidCurrency');
  const { value } = amount;
  if (typeof value !== 'string' || !INTEGER.test(value)) throw rosettaError('invalidOperationsAmount');
  const tinybars = BigInt(value.replace(/^\+/, ''));
  if (tinybars > MAX_INT64 || tinybars < MIN_INT64) throw rosettaError('invalidOperationsAmount');
  return tinybars;
};
