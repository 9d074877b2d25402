import { expect, it } from 'vitest';
import { useTestLedger } from '../testing/ledger.fixture.ts';
import { earlyStaking } from './early-staking.ts';
import { insertEntity, insertRow, runRepair } from './testing/repair.fixture.ts';

const ledger = useTestLedger();

/** End of the last block before HAPI 0.27, on day 19194. */
const END = 1_658_419_200_981_687_000n;
const DAY = 19_194;

const staked = (id: number, since: bigint, node: number, day: number, values: object = {}): Promise<void> =>
  insertEntity(ledger.database, 'entity', {
    id,
    staked_node_id: node,
    stake_period_start: day,
    timestamp_range: `[${since},)`,
    ...values,
  });

const past = (id: number, from: bigint, to: bigint, node: number, day: number): Promise<void> =>
  insertEntity(ledger.database, 'entity_history', {
    id,
    staked_node_id: node,
    stake_period_start: day,
    timestamp_range: `[${from},${to})`,
  });

const stakes = async (table: string): Promise<string[]> => {
  const rows = await ledger.database.query<Record<string, string>>(
    `select id, staked_node_id as node, stake_period_start as day from ${table} order by id, lower(timestamp_range)`,
  );
  return rows.map(({ id, node, day }) => `${id} ${node} ${day}`);
};

it('resets choices of a node made before, in all versions that still have them, and the stakes that followed', async () => {
  await staked(1, END, 3, DAY);
  await staked(2, END + 1n, 3, DAY);
  // Chosen before, then another memo.
  await past(3, END - 5n, END + 5n, 4, DAY - 2);
  await staked(3, END + 5n, 4, DAY - 2);
  // Chosen before, then another node.
  await past(4, END - 5n, END + 5n, 4, DAY - 2);
  await staked(4, END + 5n, 5, DAY);
  await staked(5, END - 9n, -1, -1);
  await staked(6, END - 9n, 2, DAY, { type: 'TOPIC' });
  for (const id of [1, 4]) {
    await insertRow(ledger.database, 'entity_stake', {
      id,
      end_stake_period: DAY,
      pending_reward: 70,
      staked_node_id_start: 3,
      staked_to_me: 1,
      stake_total_start: 9,
      timestamp_range: '[1,)',
    });
  }
  expect(await runRepair(ledger.database, earlyStaking)).toBe(1 + 1 + 2 + 1);
  expect(await stakes('entity')).toEqual(['1 -1 -1', `2 3 ${DAY}`, '3 -1 -1', `4 5 ${DAY}`, '5 -1 -1', `6 2 ${DAY}`]);
  expect(await stakes('entity_history')).toEqual(['3 -1 -1', '4 -1 -1']);
  expect(
    await ledger.database.query('select id, pending_reward, staked_node_id_start from entity_stake order by id'),
  ).toEqual([
    { id: '1', pending_reward: '0', staked_node_id_start: '-1' },
    { id: '4', pending_reward: '70', staked_node_id_start: '3' },
  ]);
  expect(await runRepair(ledger.database, earlyStaking)).toBe(0);
});
