import { beforeEach, describe, expect, it } from 'vitest';
import { useTestLedger } from '../testing/ledger.fixture.ts';
import { nftAllowanceOwners, tokenAllowanceOwners } from './allowance-owners.ts';
import { insertBlock, insertResult, insertRow, runRepair } from './testing/repair.fixture.ts';

const ledger = useTestLedger();

const PAYER = 1001;
const CONTRACT = 2002;
const SPENDER = 3003;
const TOKEN = 4004;
/** End of the last block before HAPI 0.37. */
const END = 100n;

beforeEach(async () => {
  const tables = ['token_allowance', 'nft_allowance'].flatMap((table) => [table, `${table}_history`]);
  for (const table of [...tables, 'contract_result', 'record_file'])
    await ledger.database.query(`delete from ${table}`);
  await insertBlock(ledger.database, END - 50n, { hapi_version_major: 0, hapi_version_minor: 36 });
  await insertBlock(ledger.database, END, { hapi_version_major: 0, hapi_version_minor: 36 });
  await insertBlock(ledger.database, END + 50n, { hapi_version_major: 0, hapi_version_minor: 37 });
});

const granted = (owner: number, from: number, to: number | '', amount: number): Promise<void> =>
  insertRow(ledger.database, to === '' ? 'token_allowance' : 'token_allowance_history', {
    owner,
    spender: SPENDER,
    token_id: TOKEN,
    payer_account_id: PAYER,
    amount,
    amount_granted: amount,
    timestamp_range: `[${from},${to})`,
  });

/** The call in which `sender` granted at a time. */
const call = (at: bigint, sender: number | null, values: object = {}): Promise<void> =>
  insertResult(ledger.database, at, { sender_id: sender, ...values });

const allowances = async (): Promise<string[]> => {
  const rows = await ledger.database.query<Record<string, string>>(
    `select owner, timestamp_range::text as range, amount, payer_account_id as payer from (
       select owner, timestamp_range, amount, payer_account_id from token_allowance
       union all select owner, timestamp_range, amount, payer_account_id from token_allowance_history
     ) a order by owner, lower(timestamp_range)`,
  );
  return rows.map(({ owner, range, amount }) => `${owner} ${range} ${amount}`);
};

describe('token allowances that contracts granted', () => {
  it('belong to the contract', async () => {
    await granted(PAYER, 20, '', 7);
    await call(20n, CONTRACT);
    expect(await runRepair(ledger.database, tokenAllowanceOwners)).toBe(1);
    expect(await allowances()).toEqual([`${CONTRACT} [20,) 7`]);
    expect(await runRepair(ledger.database, tokenAllowanceOwners)).toBe(0);
  });

  it('join those that the contract has, and leave the payer what it granted itself', async () => {
    await granted(PAYER, 10, 20, 1);
    await granted(PAYER, 20, 30, 2);
    await granted(PAYER, 30, 40, 3);
    await granted(PAYER, 40, '', 4);
    await granted(CONTRACT, 25, 35, 5);
    await granted(CONTRACT, 35, '', 6);
    await call(20n, CONTRACT);
    await call(40n, CONTRACT);
    // A call of the owner itself, and one whose sender isn't known.
    await call(35n, CONTRACT);
    await call(10n, null);
    expect(await runRepair(ledger.database, tokenAllowanceOwners)).toBe(2);
    expect(await allowances()).toEqual([
      `${PAYER} [10,30) 1`,
      `${PAYER} [30,) 3`,
      `${CONTRACT} [20,25) 2`,
      `${CONTRACT} [25,35) 5`,
      `${CONTRACT} [35,40) 6`,
      `${CONTRACT} [40,) 4`,
    ]);
  });

  it('stay with their owner from HAPI 0.37 on, and where no contract granted them', async () => {
    await granted(PAYER, 60, 120, 1);
    await granted(PAYER, 120, '', 2);
    await call(120n, CONTRACT);
    // Made up from the payer's own transaction by an option.
    await call(60n, CONTRACT, { contract_id: 0 });
    expect(await runRepair(ledger.database, tokenAllowanceOwners)).toBe(0);
    expect(await allowances()).toEqual([`${PAYER} [60,120) 1`, `${PAYER} [120,) 2`]);
  });

  it('are looked at with the first block of HAPI 0.37', () => {
    const reach = (minor: number) => ({
      begins: 0n,
      newest: { consensusEnd: 1n, hapiVersion: { major: 0, minor, patch: 0 } },
    });
    expect(tokenAllowanceOwners.isDue({ begins: 0n, newest: { consensusEnd: 1n, hapiVersion: null } })).toBe(false);
    expect(tokenAllowanceOwners.isDue(reach(36))).toBe(false);
    expect(tokenAllowanceOwners.isDue(reach(37))).toBe(true);
  });
});

it('NFT allowances that contracts granted belong to the contract', async () => {
  const nft = (table: string, range: string, approved: boolean): Promise<void> =>
    insertRow(ledger.database, table, {
      owner: PAYER,
      spender: SPENDER,
      token_id: TOKEN,
      payer_account_id: PAYER,
      approved_for_all: approved,
      timestamp_range: range,
    });
  await nft('nft_allowance_history', '[10,20)', true);
  await nft('nft_allowance', '[20,)', false);
  await call(20n, CONTRACT);
  expect(await runRepair(ledger.database, nftAllowanceOwners)).toBe(1);
  expect(
    await ledger.database.query(
      'select owner, approved_for_all, timestamp_range::text as range from nft_allowance order by 1',
    ),
  ).toEqual([
    { owner: `${PAYER}`, approved_for_all: true, range: '[10,)' },
    { owner: `${CONTRACT}`, approved_for_all: false, range: '[20,)' },
  ]);
  expect(await ledger.rows('nft_allowance_history')).toEqual([]);
});
