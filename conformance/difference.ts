/** Deep comparison of JSON values, exact in numbers. */
import { writeExactJson } from './exact-json.ts';

export interface Difference {
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

const most = 20;
const longest = 200;

const show = (value: unknown): string => {
  const text = writeExactJson(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
};

const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'bigint' ? 'number' : typeof value;
};

const collect = (expected: unknown, actual: unknown, path: string, found: Difference[]): void => {
  if (found.length >= most) return;
  const kind = kindOf(expected);
  if (kind !== kindOf(actual)) {
    found.push({ path, expected: show(expected), actual: show(actual) });
  } else if (kind === 'array') {
    const [left, right] = [expected as readonly unknown[], actual as readonly unknown[]];
    if (left.length !== right.length) {
      found.push({ path: `${path}.length`, expected: String(left.length), actual: String(right.length) });
    }
    for (let i = 0; i < Math.min(left.length, right.length); i++) collect(left[i], right[i], `${path}[${i}]`, found);
  } else if (kind === 'object') {
    const [left, right] = [expected as Record<string, unknown>, actual as Record<string, unknown>];
    for (const key of Object.keys(left)) {
      if (Object.hasOwn(right, key)) collect(left[key], right[key], `${path}.${key}`, found);
      else found.push({ path: `${path}.${key}`, expected: show(left[key]), actual: 'absent' });
    }
    for (const key of Object.keys(right)) {
      if (!Object.hasOwn(left, key))
        found.push({ path: `${path}.${key}`, expected: 'absent', actual: show(right[key]) });
    }
  } else if (expected !== actual) {
    found.push({ path, expected: show(expected), actual: show(actual) });
  }
};

/** The first differences; empty when the values are equal. Members may come in any order, elements may not. */
export const differencesOf = (expected: unknown, actual: unknown): Difference[] => {
  const found: Difference[] = [];
  collect(expected, actual, '$', found);
  return found;
};
