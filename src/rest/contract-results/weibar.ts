/** Amounts of Ethereum transactions: big-endian bytes counting weibars, 10^10 of which make a tinybar. */
import { toHex } from '../../ledger/bytes.ts';

/** Whether amounts are shown in tinybars, or in weibars as Ethereum tools count. */
export type AmountUnit = 'tinybar' | 'weibar';

const WEIBARS_PER_TINYBAR = 10_000_000_000n;

const unsigned = (bytes: Uint8Array): bigint => BigInt(`0x${toHex(bytes)}`);

const signed = (bytes: Uint8Array): bigint => BigInt.asIntN(bytes.length * 8, unsigned(bytes));

/** Hex with `0x` and without a zero in front of a longer number; no bytes give `"0x"`. */
export const quantityJson = (bytes: Uint8Array | null): string => {
  if (bytes === null || bytes.length === 0) return '"0x"';
  const digits = toHex(bytes);
  return `"0x${digits.startsWith('0') ? digits.slice(1) : digits}"`;
};

/** A price of gas, in hex; no bytes give `"0x"`. */
export const gasPriceJson = (weibars: Uint8Array | null, unit: AmountUnit): string => {
  if (unit === 'weibar' || weibars === null || weibars.length === 0) return quantityJson(weibars);
  return `"0x${(unsigned(weibars) / WEIBARS_PER_TINYBAR).toString(16)}"`;
};

/** The value that an Ethereum transaction moves; null for no bytes. */
export const valueJson = (weibars: Uint8Array | null, unit: AmountUnit): string => {
  if (weibars === null || weibars.length === 0) return 'null';
  return unit === 'weibar' ? `${unsigned(weibars)}` : `${signed(weibars) / WEIBARS_PER_TINYBAR}`;
};

/** Digits of tinybars in the unit asked for. */
export const tinybarsIn = (tinybars: string | bigint, unit: AmountUnit): bigint =>
  unit === 'weibar' ? BigInt(tinybars) * WEIBARS_PER_TINYBAR : BigInt(tinybars);
