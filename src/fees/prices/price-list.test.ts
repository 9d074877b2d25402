import { expect, it } from 'vitest';
import { bodyKinds } from '../../protobuf/testing/body-kinds.fixture.ts';
import { priceList } from './price-list.ts';

/** What nobody pays for: what the network submits itself, what it no longer takes, and freezes. */
const withoutPrice = [
  'cryptoAddLiveHash',
  'cryptoDeleteLiveHash',
  'freeze',
  'uncheckedSubmit',
  'nodeStakeUpdate',
  'ledgerIdPublication',
];

it('has a price for each transaction of HAPI but those that have none', () => {
  const priced = new Set<string>(priceList.keys());
  const kinds = bodyKinds().map(({ name }) => name);
  expect(kinds.length).toBeGreaterThan(55);
  expect(kinds.filter((name) => !priced.has(name))).toEqual(withoutPrice);
});
