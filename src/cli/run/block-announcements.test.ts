import { expect, it } from 'vitest';
import { announcedOnce } from './block-announcements.ts';

it('passes on each commit once, and always what may have been missed', () => {
  let commits = 0;
  const announce = announcedOnce(() => commits++);
  const counts = ['7', '7', '8', undefined, undefined, '8', '8', '3'].map((number) => {
    announce(number);
    return commits;
  });
  expect(counts).toEqual([1, 1, 2, 3, 4, 5, 5, 6]);
});
