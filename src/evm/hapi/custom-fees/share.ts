import { MAX_TOKEN_AMOUNT } from '../limits.ts';
import { refuse } from '../operation.ts';

/**
 * numerator / denominator of an amount, rounded down; refuses what exceeds 63 bits with
 * CUSTOM_FEE_OUTSIDE_NUMERIC_RANGE.
 */
export const share = (numerator: bigint, denominator: bigint, amount: bigint): bigint => {
  if (denominator === 0n) return refuse('CUSTOM_FEE_OUTSIDE_NUMERIC_RANGE');
  const result = (amount * numerator) / denominator;
  return result > MAX_TOKEN_AMOUNT ? refuse('CUSTOM_FEE_OUTSIDE_NUMERIC_RANGE') : result;
};
