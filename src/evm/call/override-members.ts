/** The entries of `state_overrides`. */
import { reasonedProblem } from '../../api/problem.ts';
import type { SlotOverride, StateOverride } from '../workers/simulation-task.ts';
import type { JsonObject, JsonValue } from './json-document.ts';
import { listMember, objectItem, textMember } from './member-values.ts';
import type { Violations } from './violations.ts';

const MOST_SLOTS = 100;
const INT64_DIGITS = 16;
const WORD_DIGITS = { least: 64, most: 64 } as const;

const requiredHex = (
  violations: Violations,
  object: JsonObject,
  name: string,
  path: string,
  bounds: { readonly least: number; readonly most: number },
): string => {
  const text = textMember(object, name);
  if (text !== undefined) return violations.hex(`${path}.${name}`, text, bounds);
  violations.add(`${path}.${name}`, 'must not be null');
  return '';
};

const quantity = (violations: Violations, object: JsonObject, name: string, path: string): bigint | undefined => {
  const text = textMember(object, name);
  if (text === undefined) return undefined;
  return BigInt(`0x${violations.hex(`${path}.${name}`, text, { most: INT64_DIGITS }) || '0'}`);
};

const codeOf = (violations: Violations, object: JsonObject, path: string): Uint8Array | undefined => {
  const text = textMember(object, 'code');
  if (text === undefined) return undefined;
  const digits = violations.hex(`${path}.code`, text, { most: Number.POSITIVE_INFINITY });
  if (digits.length % 2 !== 0) throw reasonedProblem(400, 'Odd number of characters.');
  return Uint8Array.from(Buffer.from(digits, 'hex'));
};

const slotsOf = (
  violations: Violations,
  object: JsonObject,
  name: 'state' | 'state_diff',
  path: string,
): readonly SlotOverride[] => {
  const items = listMember(object, name) ?? [];
  const field = `${path}.${name === 'state' ? 'state' : 'stateDiff'}`;
  if (items.length > MOST_SLOTS) {
    violations.add(field, `size must be between 0 and ${MOST_SLOTS}`);
    return [];
  }
  return items.flatMap((item, index) => {
    const entry = objectItem(name, item);
    const entryPath = `${field}[${index}]`;
    if (entry === null) {
      violations.add(entryPath, 'must not be null');
      return [];
    }
    const slot = requiredHex(violations, entry, 'key', entryPath, WORD_DIGITS);
    const value = requiredHex(violations, entry, 'value', entryPath, WORD_DIGITS);
    return [{ slot, value }];
  });
};

const readOverride = (violations: Violations, entry: JsonObject, path: string): StateOverride => {
  const address = requiredHex(violations, entry, 'address', path, { least: 40, most: 40 });
  const balance = quantity(violations, entry, 'balance', path);
  const code = codeOf(violations, entry, path);
  const nonce = quantity(violations, entry, 'nonce', path);
  const state = slotsOf(violations, entry, 'state', path);
  const stateDiff = slotsOf(violations, entry, 'state_diff', path);
  if (state.length > 0 && stateDiff.length > 0) {
    violations.add(`${path}.validStorage`, 'state and state_diff are mutually exclusive');
  }
  return {
    address,
    ...(balance === undefined ? {} : { balance }),
    ...(code === undefined ? {} : { code }),
    ...(nonce === undefined ? {} : { nonce }),
    ...(state.length === 0 ? {} : { state }),
    ...(stateDiff.length === 0 ? {} : { stateDiff }),
  };
};

/** @throws HttpProblem 400 for what has another type; faulty values are noted. */
export const readStateOverrides = (
  items: readonly JsonValue[] | null | undefined,
  violations: Violations,
): readonly StateOverride[] => {
  if (items === undefined) return [];
  if (items === null) {
    violations.add('stateOverrides', 'must not be null');
    return [];
  }
  return items.flatMap((item, index) => {
    const path = `stateOverrides[${index}]`;
    const entry = objectItem('state_overrides', item);
    if (entry !== null) return [readOverride(violations, entry, path)];
    violations.add(path, 'must not be null');
    return [];
  });
};
