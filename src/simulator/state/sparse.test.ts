import { deserialize, serialize } from 'node:v8';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noEntries, noMembers, withEntry, withMember, withoutEntry, withoutMember } from './sparse.ts';

const changes = fc.array(
  fc.record({
    owner: fc.nat({ max: 3 }),
    key: fc.nat({ max: 4 }),
    value: fc.nat(),
    kind: fc.constantFrom('enter', 'leave', 'restart'),
  }),
);

test('sparse collections hold what collections of their own would, over restarts too', () => {
  fc.assert(
    fc.property(changes, (steps) => {
      let sparse = Array.from({ length: 4 }, () => ({
        entries: noEntries<number, number>(),
        members: noMembers<number>(),
      }));
      const own = sparse.map(() => ({ entries: new Map<number, number>(), members: new Set<number>() }));
      for (const { owner, key, value, kind } of steps) {
        if (kind === 'restart') {
          sparse = deserialize(serialize(sparse)) as typeof sparse;
          continue;
        }
        const [mine, theirs] = [sparse[owner], own[owner]];
        if (mine === undefined || theirs === undefined) throw new Error('no such owner');
        if (kind === 'enter') {
          mine.entries = withEntry(mine.entries, key, value);
          mine.members = withMember(mine.members, key);
          theirs.entries.set(key, value);
          theirs.members.add(key);
        } else {
          mine.entries = withoutEntry(mine.entries, key);
          mine.members = withoutMember(mine.members, key);
          theirs.entries.delete(key);
          theirs.members.delete(key);
        }
      }
      // In the same order too, from which activities choose.
      expect(sparse.map(({ entries, members }) => [[...entries], [...members]])).toEqual(
        own.map(({ entries, members }) => [[...entries], [...members]]),
      );
    }),
  );
  expect([...noEntries()]).toEqual([]);
  expect([...noMembers()]).toEqual([]);
});

test('empty ones are shared', () => {
  const [first, second] = [withEntry(noEntries<number, number>(), 1, 2), noEntries<number, number>()];
  expect(second.size).toBe(0);
  expect(withoutEntry(first, 1)).toBe(second);
  expect(withoutMember(withMember(noMembers<number>(), 1), 1)).toBe(noMembers());
});
