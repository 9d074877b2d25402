import { expect, it } from 'vitest';
import { HotSlots } from './hot-slots.ts';

it('keeps the slots last asked for, and forgets whole contracts when there are too many', () => {
  const hot = new HotSlots({ perContract: 2, inAll: 4 });
  expect(hot.of(1n)).toBeUndefined();
  for (const slot of ['a', 'b', 'a', 'c']) hot.note(1n, slot);
  expect(hot.of(1n)).toEqual(['a', 'c']);
  hot.note(2n, 'x');
  hot.note(2n, 'y');
  hot.note(1n, 'a');
  expect(hot.of(2n)).toEqual(['x', 'y']);
  hot.note(3n, 'z');
  expect([hot.of(1n), hot.of(2n), hot.of(3n)]).toEqual([undefined, ['x', 'y'], ['z']]);
});
