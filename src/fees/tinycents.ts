/** Amounts in tinycents (10^-8 of a US cent) are int64 on the network and end at its bound instead of wrapping around. */
import { MAX_INT64 } from '../ledger/int64.ts';

export const MAX_TINYCENTS = MAX_INT64;

const bounded = (amount: bigint): bigint => (amount > MAX_TINYCENTS ? MAX_TINYCENTS : amount);

/** The sum of amounts that are not negative. */
export const sum = (...amounts: readonly bigint[]): bigint => bounded(amounts.reduce((a, b) => a + b, 0n));

/** The product of two amounts that are not negative. */
export const product = (a: bigint, b: bigint): bigint => bounded(a * b);

/** `amount` times `thousandths` / 1000, rounded down. */
export const scaled = (amount: bigint, thousandths: bigint): bigint => bounded((amount * thousandths) / 1000n);
