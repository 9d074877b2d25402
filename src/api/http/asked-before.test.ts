import { expect, it } from 'vitest';
import { AskedBefore } from './asked-before.ts';

it('remembers what was noted, and forgets it for others in the end', () => {
  const asked = new AskedBefore();
  expect([asked.note('a'), asked.note('b'), asked.note('a'), asked.note('b')]).toEqual([false, false, true, true]);
  for (let i = 0; i < 1_000_000; i++) asked.note(`other ${i}`);
  expect(asked.note('a')).toBe(false);
});
