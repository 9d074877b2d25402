/**
 * Members of a JSON object as typed values, as lenient as clients know it: numbers may come as strings, null stands for
 * zero, false or nothing.
 */

import { MAX_INT64, MIN_INT64 } from '../../ledger/int64.ts';
import { type JsonObject, type JsonValue, parseProblem } from './json-document.ts';

const kindNames: Readonly<Record<JsonValue['kind'], string>> = {
  null: 'null',
  boolean: 'Boolean value',
  number: 'Number value',
  string: 'String value',
  array: 'Array value',
  object: 'Object value',
};

const mismatch = (name: string, wanted: string, value: JsonValue) =>
  parseProblem(`Cannot deserialize ${name} as ${wanted} from ${kindNames[value.kind]}`);

/** Undefined for a member that is missing or null; scalars become texts. */
export const textMember = ({ members }: JsonObject, name: string): string | undefined => {
  const value = members.get(name);
  if (value === undefined) return undefined;
  switch (value.kind) {
    case 'null':
      return undefined;
    case 'string':
      return value.value;
    case 'number':
      return value.text;
    case 'boolean':
      return String(value.value);
    default:
      throw mismatch(name, 'text', value);
  }
};

/** Like `textMember`, for a member that takes strings only. */
export const strictTextMember = (object: JsonObject, name: string): string | undefined => {
  const value = object.members.get(name);
  if (value === undefined || value.kind === 'null') return undefined;
  if (value.kind !== 'string') throw mismatch(name, 'text', value);
  return value.value;
};

const integerOfLiteral = (name: string, text: string): bigint => {
  if (/^[+-]?\d+$/.test(text)) return BigInt(text.startsWith('+') ? text.slice(1) : text);
  const value = Math.trunc(Number(text));
  if (!Number.isFinite(value))
    throw parseProblem(`Numeric value (${text}) of ${name} out of range of a 64-bit integer`);
  return BigInt(value);
};

const integerOfText = (name: string, text: string): bigint => {
  const trimmed = text.trim();
  if (trimmed === '') return 0n;
  if (!/^[+-]?\d{1,40}$/.test(trimmed)) {
    throw parseProblem(`Cannot deserialize ${name} from String "${text.slice(0, 100)}": not a valid 64-bit integer`);
  }
  return integerOfLiteral(name, trimmed);
};

/** A 64-bit integer; fractions are cut off, null and the empty text are 0. */
export const integerMember = ({ members }: JsonObject, name: string, missing: bigint): bigint => {
  const value = members.get(name);
  if (value === undefined) return missing;
  if (value.kind === 'null') return 0n;
  if (value.kind !== 'number' && value.kind !== 'string') throw mismatch(name, 'a number', value);
  const integer = value.kind === 'number' ? integerOfLiteral(name, value.text) : integerOfText(name, value.value);
  if (integer < MIN_INT64 || integer > MAX_INT64) {
    throw parseProblem(`Numeric value (${integer}) of ${name} out of range of a 64-bit integer`);
  }
  return integer;
};

/** Null and the empty text are false; of numbers only 0 is. */
export const flagMember = ({ members }: JsonObject, name: string, missing: boolean): boolean => {
  const value = members.get(name);
  if (value === undefined) return missing;
  switch (value.kind) {
    case 'null':
      return false;
    case 'boolean':
      return value.value;
    case 'number':
      if (!/^-?\d+$/.test(value.text)) throw mismatch(name, 'true or false', value);
      return !/^-?0+$/.test(value.text);
    case 'string': {
      const text = value.value.trim().toLowerCase();
      if (text === 'true') return true;
      if (text === 'false' || text === '') return false;
      throw mismatch(name, 'true or false', value);
    }
    default:
      throw mismatch(name, 'true or false', value);
  }
};

/** Items of a list; undefined when the member is missing, null when it is null. */
export const listMember = ({ members }: JsonObject, name: string): readonly JsonValue[] | null | undefined => {
  const value = members.get(name);
  if (value === undefined) return undefined;
  if (value.kind === 'null') return null;
  if (value.kind !== 'array') throw mismatch(name, 'a list', value);
  return value.items;
};

/** An item of a list as an object; null when it is null. */
export const objectItem = (name: string, value: JsonValue): JsonObject | null => {
  if (value.kind === 'null') return null;
  if (value.kind !== 'object') throw mismatch(name, 'an object', value);
  return value;
};
