import { expect, it } from 'vitest';
import { useTestLedger } from '../testing/ledger.fixture.ts';
import { spuriousTransfers } from './spurious-transfers.ts';
import { insertRow, insertTransaction, runRepair } from './testing/repair.fixture.ts';

const ledger = useTestLedger();

const T = 1_568_800_000_000_000_000n;
const INSUFFICIENT_ACCOUNT_BALANCE = 28;

const transfer = (at: bigint, entity: number, amount: number, errata: string | null = null): Promise<void> =>
  insertRow(ledger.database, 'crypto_transfer', {
    consensus_timestamp: at,
    entity_id: entity,
    amount,
    payer_account_id: 1001,
    errata,
  });

/** A payment of 1001 to 1002 with its fee, which goes to the node and to 98. */
const payment = async (at: bigint, result: number): Promise<void> => {
  await insertTransaction(ledger.database, at, { result });
  await transfer(at, 1001, -500);
  await transfer(at, 1002, 500);
  await transfer(at, 1001, -30);
  await transfer(at, 3, 10);
  await transfer(at, 98, 20);
};

const marked = async (): Promise<string[]> => {
  const rows = await ledger.database.query<{ at: string; entity_id: string; amount: string }>(
    `select consensus_timestamp - ${T} as at, entity_id, amount from crypto_transfer where errata = 'DELETE' order by 1, 3`,
  );
  return rows.map(({ at, entity_id, amount }) => `${at} ${entity_id} ${amount}`);
};

it('marks both sides of what failed transfers of 2019 list, and leaves fees and true transfers alone', async () => {
  await payment(T, INSUFFICIENT_ACCOUNT_BALANCE);
  await payment(T + 1n, 22);
  await payment(1_577_836_799_000_000_000n, INSUFFICIENT_ACCOUNT_BALANCE);
  // A failed contract call may have moved tinybars, and a transaction that was added later says what it means.
  await insertTransaction(ledger.database, T + 2n, { result: INSUFFICIENT_ACCOUNT_BALANCE, type: 7 });
  await transfer(T + 2n, 1001, -5);
  await transfer(T + 2n, 1002, 5);
  await insertTransaction(ledger.database, T + 3n, { result: INSUFFICIENT_ACCOUNT_BALANCE });
  await transfer(T + 3n, 1001, -5, 'INSERT');
  await transfer(T + 3n, 1002, 5, 'INSERT');
  expect(await runRepair(ledger.database, spuriousTransfers)).toBe(2);
  expect(await marked()).toEqual(['0 1001 -500', '0 1002 500']);
  expect(await runRepair(ledger.database, spuriousTransfers)).toBe(0);
});

it('takes credits of the payer for transfers in two known transactions only', async () => {
  const known = 1_570_118_944_399_195_000n;
  for (const at of [known, known + 1n]) {
    await insertTransaction(ledger.database, at, { result: INSUFFICIENT_ACCOUNT_BALANCE });
    await transfer(at, 1001, 700);
    await transfer(at, 1003, -700);
  }
  expect(await runRepair(ledger.database, spuriousTransfers)).toBe(2);
  expect((await marked()).filter((row) => row.includes('700'))).toEqual([
    `${known - T} 1003 -700`,
    `${known - T} 1001 700`,
  ]);
});
