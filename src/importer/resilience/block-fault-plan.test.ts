import { expect, it } from 'vitest';
import {
  type BlockFaultPlan,
  breaches,
  damages,
  forgeries,
  planBlockFaults,
  refusals,
} from './block-fault-plan.fixture.ts';

const BLOCKS = 15;
const planOf = (seed: number): BlockFaultPlan =>
  planBlockFaults({ seed, blocks: BLOCKS, recordNodes: 7, liars: [2, 5], faults: 4 });
const plans = Array.from({ length: 100 }, (_, i) => planOf(i + 1));
const placesOf = ({ openings }: BlockFaultPlan): BlockFaultPlan['openings'][number]['places'] =>
  openings.flatMap(({ places }) => places);

const sorted = (values: Iterable<string>): string[] => [...new Set(values)].sort();

it('follows from its seed', () => {
  expect(planOf(4)).toEqual(planOf(4));
  expect(planOf(4)).not.toEqual(planOf(5));
});

it('has every kind of place in the seeds of every test run, with each form of ledger in 30', () => {
  const placeOf = ({ sourceType, files, nodes }: BlockFaultPlan): string => `${sourceType} ${files} ${nodes.length}`;
  expect(sorted(plans.slice(0, 6).map(placeOf))).toEqual([
    'AUTO folder 1',
    'BLOCK_NODE none 1',
    'BLOCK_NODE none 2',
    'FILE bucket 0',
    'FILE folder 0',
  ]);
  expect(sorted(plans.slice(0, 30).map((plan) => `${plan.format} ${placeOf(plan)}`))).toHaveLength(15);
});

it('has every kind of fault in 100 seeds', () => {
  const places = plans.flatMap(placesOf);
  expect(sorted(places.flatMap(({ breach }) => breach ?? []))).toEqual(sorted(breaches));
  expect(sorted(places.flatMap(({ forgery }) => forgery ?? []))).toEqual(sorted(forgeries));
  expect(sorted(places.flatMap(({ damage }) => damage ?? []))).toEqual(sorted(damages));
  expect(sorted(places.flatMap(({ refusal }) => refusal ?? []))).toEqual(sorted(refusals));
  expect(sorted(plans.flatMap(({ troubles }) => troubles.map(({ trouble }) => trouble)))).toHaveLength(7);
});

it('leaves one honest place, and waits for no block that never comes', () => {
  for (const { openings, nodes, files, first, faults, troubles } of plans) {
    for (const { places } of openings) {
      expect(places).toHaveLength(nodes.length + (files === 'none' ? 0 : 1));
      expect(places.filter(({ always }) => always).length).toBeLessThan(places.length);
    }
    for (const { afterBlocks } of [...faults, ...troubles]) expect(afterBlocks).toBeLessThan(BLOCKS - first);
  }
});
