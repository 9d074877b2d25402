import { expect, it } from 'vitest';
import { type FaultPlan, planFaults } from './fault-plan.fixture.ts';

const planOf = (seed: number): FaultPlan => planFaults({ seed, blocks: 52, nodes: 7, liars: [2, 5], faults: 5 });
/** Those of every test run. */
const plans = Array.from({ length: 10 }, (_, i) => planOf(i + 1));

const sorted = (values: Iterable<string>): string[] => [...new Set(values)].sort();

it('follows from its seed', () => {
  expect(planOf(4)).toEqual(planOf(4));
  expect(planOf(4)).not.toEqual(planOf(5));
});

it('has every kind of fault in the seeds of every test run', () => {
  const copies = plans.flatMap(({ feed }) => feed.flatMap((block) => block.copies));
  expect(sorted(plans.flatMap(({ faults }) => faults.map(({ fault }) => fault.kind)))).toEqual([
    'cut commit',
    'cut copy',
    'drop connections',
    'fill disk',
    'freeze importer',
    'kill backend',
    'kill importer',
    'restart server',
    'second importer',
    'stall connections',
    'terminate connections',
  ]);
  expect(sorted(copies.flatMap(({ harm }) => harm?.kind ?? []))).toEqual([
    'bit flipped',
    'empty',
    'folder in its place',
    'garbage',
    'signature of another block',
    'signature of another node',
    'truncated',
  ]);
  expect(sorted(copies.flatMap(({ lie }) => lie ?? []))).toEqual(['forged', 'signs nothing', 'silent']);
  expect(sorted(plans.flatMap(({ feed }) => feed.flatMap(({ stray }) => stray?.kind ?? [])))).toEqual([
    'invented block',
    'name of another time',
    'unfinished',
    'wrong name',
  ]);
  expect(plans.some(({ clock }) => clock.length > 0)).toBe(true);
});

it('never has the liars deprive the ledger of its first block, nor anyone else lie', () => {
  expect(plans.flatMap(({ feed }) => feed[0]?.copies.filter(({ lie }) => lie !== undefined) ?? [])).toEqual([]);
  const copies = plans.flatMap(({ feed }) => feed.flatMap((block) => [...block.copies.entries()]));
  const liars = new Set(copies.flatMap(([node, { lie }]) => (lie === undefined ? [] : [node])));
  expect([...liars].sort()).toEqual([2, 5]);
});
