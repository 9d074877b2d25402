/** Slots of a hook's storage: 32 bytes, which requests name in hex and compare as numbers. */
import { failedToConvert, valuesOf } from '../../api/java-parameters.ts';
import type { JavaParameter } from '../../api/resource/java-parameter.ts';
import { mostRepeats } from './hook.ts';

const SLOT_DIGITS = 64;
const LARGEST_KEY = (1n << 256n) - 1n;

/** Slots from `lower` to `upper`, both inclusive; with `equal` only those of them. */
export interface SlotKeys {
  readonly lower: bigint;
  readonly upper: bigint;
  readonly equal: readonly bigint[] | undefined;
}

const keyText = /^(?:(eq|gte?|lte?):)?(?:0x)?([0-9a-fA-F]{1,64})$/;

/** All filters merged; equalities mean any of them that lies within the bounds. */
export const slotKeys: JavaParameter<SlotKeys> = {
  read: (query, name) => {
    let lower = 0n;
    let upper = LARGEST_KEY;
    const equal = new Set<bigint>();
    for (const text of valuesOf(query, name)) {
      if (text.trim() === '') continue;
      const match = keyText.exec(text);
      if (match === null) throw failedToConvert(name);
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
  },
  doc: {
    description: 'Slot in hex, compared by an optional operator. Several without operator mean any of them.',
    schema: {
      type: 'array',
      maxItems: mostRepeats,
      items: { type: 'string', pattern: '^((eq|gte?|lte?):)?(0x)?[0-9A-Fa-f]{1,64}$' },
    },
    example: ['gte:0x0f9a'],
  },
};

/** Hex of the 32 bytes of a slot. */
export const slotKeyDigits = (key: bigint): string => key.toString(16).padStart(SLOT_DIGITS, '0');

export const slotKeyBytes = (key: bigint): Buffer => Buffer.from(slotKeyDigits(key), 'hex');
