import { describe, expect, it } from 'vitest';
import { isJavaRangeEmpty, javaColumnBounds } from './java-bounds.ts';
import { HttpProblem } from './problem.ts';
import type { Operator } from './query.ts';

const comparisons = (...texts: readonly string[]) =>
  texts.map((text) => {
    const [operator, value] = text.split(':');
    return { operator: operator as Operator, value: BigInt(value as string) };
  });

describe('javaColumnBounds', () => {
  it('takes an equality or one bound on each side', () => {
    expect(javaColumnBounds(comparisons('gte:5', 'lt:9'), 'x')).toEqual({
      lower: { operator: 'gte', value: 5n },
      upper: { operator: 'lt', value: 9n },
    });
    expect(javaColumnBounds(comparisons('eq:5'), 'x')).toEqual({ equal: 5n });
    expect(javaColumnBounds([], 'x')).toEqual({});
  });

  it.each([
    [['ne:1', 'eq:2'], 'Unsupported range operator ne for x'],
    [['eq:1', 'eq:1'], 'Only one range operator from [eq] is allowed for the given parameter for x'],
    [['gt:1', 'gte:1'], 'Only one range operator from [gt, gte] is allowed for the given parameter for x'],
    [['lte:1', 'lte:1'], 'Only one range operator from [lt, lte] is allowed for the given parameter for x'],
    [['eq:1', 'lte:3'], "Can't support both range and equal for x"],
  ])('refuses %j', (texts, detail) => {
    const refused = () => javaColumnBounds(comparisons(...texts), 'x');
    expect(refused).toThrow(HttpProblem);
    expect(refused).toThrow(`Bad Request: ${detail}`);
  });
});

describe('isJavaRangeEmpty', () => {
  it.each([
    [['gte:5', 'lte:5'], false],
    [['gt:5', 'lte:5'], true],
    [['gte:5', 'lt:5'], true],
    [['gt:5', 'lt:7'], false],
    [['eq:5', 'lt:5'], true],
    [['lt:0'], false],
    [['gt:9', 'gt:1', 'lt:5'], false],
  ])('%j: %s', (texts, empty) => {
    expect(isJavaRangeEmpty(comparisons(...texts))).toBe(empty);
  });
});
