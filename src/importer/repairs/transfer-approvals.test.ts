import { beforeEach, expect, it } from 'vitest';
import { Key } from '../../protobuf/generated/services/basic_types.ts';
import { useTestLedger } from '../testing/ledger.fixture.ts';
import { insertEntity, insertResult, insertRow, insertTransaction, runRepair } from './testing/repair.fixture.ts';
import { transferApprovals } from './transfer-approvals.ts';

const ledger = useTestLedger();

const AFTER = 1_680_284_879_342_064_922n;
const UNTIL = 1_686_243_920_981_874_002n;
const T = AFTER + 200_000_000_000_000n;
const CONTRACT = 2_200_000;
const OWNER = 1002;

type KeyFields = Parameters<typeof Key.fromPartial>[0];
const serialized = (key: KeyFields): Buffer => Buffer.from(Key.encode(Key.fromPartial(key)).finish());
const ed25519: KeyFields = { key: { $case: 'ed25519', ed25519: new Uint8Array(32).fill(1) } };
const contractKey: KeyFields = {
  key: { $case: 'contractID', contractID: { contract: { $case: 'contractNum', contractNum: BigInt(CONTRACT) } } },
};
const anyOf = (threshold: number, ...keys: KeyFields[]): KeyFields => ({
  key: { $case: 'thresholdKey', thresholdKey: { threshold, keys: { keys: keys as Key[] } } },
});

const tables = ['crypto_transfer', 'token_transfer', 'transaction', 'contract_result', 'entity', 'entity_history'];
beforeEach(async () => {
  for (const table of tables) await ledger.database.query(`delete from ${table}`);
});

const owner = (key: KeyFields | Buffer | null, values: object = {}): Promise<void> =>
  insertEntity(ledger.database, 'entity', {
    id: OWNER,
    key: key === null || Buffer.isBuffer(key) ? key : serialized(key),
    ...values,
  });

const debit = (at: bigint, values: object = {}): Promise<void> =>
  insertRow(ledger.database, 'crypto_transfer', {
    consensus_timestamp: at,
    entity_id: OWNER,
    amount: -5,
    payer_account_id: 1001,
    is_approval: false,
    ...values,
  });

const approvedHbars = async (): Promise<string[]> => {
  const rows = await ledger.database.query<{ at: string; entity_id: string; amount: string }>(
    'select consensus_timestamp as at, entity_id, amount from crypto_transfer where is_approval order by 1, 2, 3',
  );
  return rows.map(({ at, entity_id, amount }) => `${BigInt(at) - T} ${entity_id} ${amount}`);
};

it('marks what contracts moved of others: tinybars, tokens and NFTs', async () => {
  await owner(ed25519);
  await insertResult(ledger.database, T, { contract_id: CONTRACT });
  await debit(T);
  await debit(T, { entity_id: CONTRACT, amount: -6 });
  await debit(T, { amount: 5, entity_id: 1003 });
  const tokenTransfer = { consensus_timestamp: T, token_id: 9, payer_account_id: 1001, is_approval: false };
  await insertRow(ledger.database, 'token_transfer', { ...tokenTransfer, account_id: OWNER, amount: -5 });
  await insertRow(ledger.database, 'token_transfer', { ...tokenTransfer, account_id: 1003, amount: 5 });
  const nft = (serial_number: number, sender: number | null, is_approval = false) => ({
    is_approval,
    receiver_account_id: 1003,
    sender_account_id: sender,
    serial_number,
    token_id: 8,
  });
  const moved = [nft(1, OWNER), nft(2, null), nft(3, OWNER, true), nft(4, CONTRACT), nft(5, OWNER)];
  await insertTransaction(ledger.database, T, { nft_transfer: JSON.stringify(moved) });

  expect(await runRepair(ledger.database, transferApprovals)).toBe(4);
  expect(await approvedHbars()).toEqual([`0 ${OWNER} -5`]);
  expect(await ledger.database.query('select account_id from token_transfer where is_approval')).toEqual([
    { account_id: `${OWNER}` },
  ]);
  const { nft_transfer } = await ledger.row('transaction', 'nft_transfer', 'true');
  expect(JSON.parse(nft_transfer as string)).toEqual([
    nft(1, OWNER, true),
    nft(2, null),
    nft(3, OWNER, true),
    nft(4, CONTRACT),
    nft(5, OWNER, true),
  ]);
  expect(await runRepair(ledger.database, transferApprovals)).toBe(0);
});

it('looks only between the first contract that needs approvals and HAPI 0.38', async () => {
  await owner(ed25519);
  for (const at of [AFTER, AFTER + 1n, UNTIL, UNTIL + 1n]) {
    await insertResult(ledger.database, at, { contract_id: CONTRACT });
    await debit(at);
  }
  await insertResult(ledger.database, T, { contract_id: 2_119_900 });
  await debit(T);
  await debit(T + 1n);
  expect(await runRepair(ledger.database, transferApprovals)).toBe(2);
  expect(await approvedHbars()).toEqual([`${AFTER + 1n - T} ${OWNER} -5`, `${UNTIL - T} ${OWNER} -5`]);
});

it.each<[string, KeyFields | Buffer | null, boolean]>([
  ['one of several keys that suffice alone', anyOf(1, ed25519, contractKey), false],
  ['one of two keys that must both sign', anyOf(2, ed25519, contractKey), true],
  ['none of the keys that suffice alone', anyOf(1, ed25519), true],
  ['in a key that cannot be read', Buffer.of(0x0a, 0x7f), false],
  ['unknown, as the owner has no key', null, false],
])('with the contract %s', async (_, key, isApproved) => {
  await owner(key);
  await insertResult(ledger.database, T, { contract_id: CONTRACT });
  await debit(T);
  expect(await runRepair(ledger.database, transferApprovals)).toBe(isApproved ? 1 : 0);
  expect(await approvedHbars()).toEqual(isApproved ? [`0 ${OWNER} -5`] : []);
});

it('asks for the key that the owner had at the time', async () => {
  await owner(anyOf(1, contractKey), { timestamp_range: `[${T + 1n},)` });
  await insertEntity(ledger.database, 'entity_history', {
    id: OWNER,
    key: serialized(ed25519),
    timestamp_range: `[1,${T + 1n})`,
  });
  for (const at of [T, T + 1n]) {
    await insertResult(ledger.database, at, { contract_id: CONTRACT });
    await debit(at);
  }
  expect(await runRepair(ledger.database, transferApprovals)).toBe(1);
  expect(await approvedHbars()).toEqual([`0 ${OWNER} -5`]);
});
