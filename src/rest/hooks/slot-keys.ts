/** The `key` parameter of hook storage: 32-byte slots in hex, compared as numbers. */
import { countFaults, failedToConvert, valuesOf } from '../../api/java-parameters.ts';
import type { RawQuery } from '../../api/route.ts';
import { mostRepeats } from './hook-list.ts';

const LARGEST_KEY = (1n << 256n) - 1n;

/** Slots from `lower` to `upper`, both inclusive; with `equal` only those of them. */
export interface SlotKeys {
  readonly lower: bigint;
  readonly upper: bigint;
  readonly equal: readonly bigint[] | undefined;
}

const keyText = /^(?:(eq|gte?|lte?):)?(?:0x)?([0-9a-fA-F]{1,64})$/;

/** All `key` filters merged; equalities mean any of them that lies within the bounds. @throws HttpProblem 400 */
export const slotKeys = (query: RawQuery): SlotKeys => {
  let lower = 0n;
  let upper = LARGEST_KEY;
  const equal = new Set<bigint>();
  for (const text of valuesOf(query, 'key')) {
    if (text.trim() === '') continue;
    const match = keyText.exec(text);
    if (match === null) throw failedToConvert('key');
    const operator = match[1] ?? 'eq';
    const value = BigInt(`0x${match[2]}`);
    if (operator === 'eq') equal.add(value);
    const from = operator === 'gt' ? value + 1n : operator === 'gte' ? value : lower;
    const to = operator === 'lt' ? value - 1n : operator === 'lte' ? value : upper;
    if (from > lower) lower = from;
    if (to < upper) upper = to;
  }
  const within = [...equal].filter((value) => value >= lower && value <= upper);
  return { lower, upper, equal: equal.size === 0 ? undefined : within };
};

export const slotKeyFaults = (query: RawQuery): string[] => countFaults(query, 'key', mostRepeats);

export const slotKeyBytes = (key: bigint): Buffer => Buffer.from(key.toString(16).padStart(64, '0'), 'hex');
