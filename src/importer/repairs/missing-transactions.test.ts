import { readdirSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { hasRealStreams, readReal, realStreams } from '../../streams/testing/real-streams.fixture.ts';
import type { LedgerBatch } from '../ledger-batch.ts';
import { insertTables, upsertTables } from '../tables/registry.ts';
import { useTestLedger } from '../testing/ledger.fixture.ts';
import { readMissingTransactions } from './missing-transaction-file.ts';
import { missingTransactions, rowsOf } from './missing-transactions.ts';
import { defaultPersist, insertEntity, insertTransaction, runRepair, wholeHistory } from './testing/repair.fixture.ts';

const ledger = useTestLedger();

const NO_FEE = 1_568_680_377_679_941_001n;
const FAILED_WITH_TOKENS = 1_675_995_378_649_144_003n;
const FAILED_WITH_NFT = 1_659_254_616_811_335_554n;

beforeEach(async () => {
  for (const table of [...insertTables, 'entity']) await ledger.database.query(`delete from ${table}`);
});

const counted = async (table: string, condition = 'true'): Promise<number> => {
  const [row] = await ledger.database.query<{ count: number }>(
    `select count(*)::integer as count from ${table} where ${condition}`,
  );
  return row?.count ?? 0;
};

describe('the transactions that mainnet lacks', () => {
  it('are 31 of 2019, 70 of 2022 and 12 of 2023, in order', () => {
    const times = readMissingTransactions().map(({ consensusTimestamp }) => consensusTimestamp);
    expect(times).toEqual([...times].sort((a, b) => (a < b ? -1 : 1)));
    const years = times.map((time) => new Date(Number(time / 1_000_000n)).getUTCFullYear());
    expect([2019, 2022, 2023].map((year) => years.filter((one) => one === year).length)).toEqual([31, 70, 12]);
  });

  it('are added once, marked, with everything that belongs to them', async () => {
    expect(await runRepair(ledger.database, missingTransactions)).toBe(113);
    expect(await counted('transaction', "errata = 'INSERT'")).toBe(113);
    expect(await counted('crypto_transfer', "errata = 'INSERT'")).toBe(92 + 423 + 51);
    expect(await counted('crypto_transfer', "errata is distinct from 'INSERT'")).toBe(0);
    expect(await counted('token_transfer')).toBe(24);
    expect(await counted('assessed_custom_fee')).toBe(111);
    expect(await counted('transaction_hash')).toBe(113);
    expect(await counted('record_file')).toBe(0);
    expect(
      await ledger.database.query(
        `select entity_id, amount, payer_account_id from crypto_transfer where consensus_timestamp = ${NO_FEE} order by 1`,
      ),
    ).toEqual([
      { entity_id: '3', amount: '3101', payer_account_id: '909' },
      { entity_id: '98', amount: '69382', payer_account_id: '909' },
      { entity_id: '909', amount: '-72483', payer_account_id: '909' },
    ]);
    expect(
      await ledger.row(
        'transaction',
        'type, result, payer_account_id, node_account_id, valid_start_ns, valid_duration_seconds, max_fee, charged_tx_fee, ' +
          "index, convert_from(memo, 'UTF8') as memo, encode(transaction_hash, 'hex') as hash, transaction_bytes",
        `consensus_timestamp = ${FAILED_WITH_NFT}`,
      ),
    ).toEqual({
      type: 14,
      result: 23,
      payer_account_id: '690356',
      node_account_id: '3',
      valid_start_ns: '1659254589078910418',
      valid_duration_seconds: '120',
      max_fee: '100000000',
      charged_tx_fee: '3140194',
      index: 0,
      memo: '(0.0.1079109)Confirm purchase of NFT: 0.0.823921 with serial number 7402 for 130 HBAR',
      hash: 'a8378c16e7a3dcca4f60b06d4d2e3d7063e67462d8bcdc74077dd3346bd017ac170ae9d704640559b256b3f53638e3a2',
      transaction_bytes: null,
    });
    const before = await ledger.rows('transaction');
    expect(await runRepair(ledger.database, missingTransactions)).toBe(0);
    expect(await ledger.rows('transaction')).toEqual(before);
    expect(await counted('token_transfer')).toBe(24);
  });

  it('change neither balances nor versions of entities', async () => {
    await insertEntity(ledger.database, 'entity', { id: 909, balance: 1_000_000, balance_timestamp: 5 });
    await insertEntity(ledger.database, 'entity', { id: 786_918, balance: 7, stake_period_start: 3 });
    const before = await ledger.rows('entity');
    await runRepair(ledger.database, missingTransactions);
    expect(await ledger.rows('entity')).toEqual(before);
    expect(await counted('entity_history')).toBe(0);
  });

  it('are added as far as they lie within what is imported', async () => {
    const between = { begins: 1_568_680_377_679_941_002n, ends: FAILED_WITH_NFT };
    // Two of 14 September and one later come before; the last of 2019 and one of 2022 are within.
    expect(await runRepair(ledger.database, missingTransactions, between)).toBe(29);
    const times = await ledger.database.query<{ consensus_timestamp: string }>(
      'select consensus_timestamp from transaction order by 1',
    );
    expect(times.at(0)?.consensus_timestamp).toBe('1568680377679941002');
    expect(times.at(-1)?.consensus_timestamp).toBe(`${FAILED_WITH_NFT}`);
  });

  it('that are known already get the token transfers they lack', async () => {
    await insertTransaction(ledger.database, FAILED_WITH_TOKENS, { result: 23, payer_account_id: 1_735_540 });
    const only = { begins: FAILED_WITH_TOKENS, ends: FAILED_WITH_TOKENS };
    const transfers = () =>
      ledger.database.query(
        'select token_id, account_id, amount, payer_account_id, is_approval from token_transfer order by 2',
      );
    const both = [
      {
        token_id: '786931',
        account_id: '1735540',
        amount: '-150000000',
        payer_account_id: '1735540',
        is_approval: false,
      },
      {
        token_id: '786931',
        account_id: '1786674',
        amount: '150000000',
        payer_account_id: '1735540',
        is_approval: false,
      },
    ];
    expect(await runRepair(ledger.database, missingTransactions, only)).toBe(2);
    expect(await transfers()).toEqual(both);
    await ledger.database.query('delete from token_transfer where amount < 0');
    expect(await runRepair(ledger.database, missingTransactions, only)).toBe(1);
    expect(await transfers()).toEqual(both);
    expect(await counted('transaction', 'errata is not null')).toBe(0);
    expect(await counted('crypto_transfer')).toBe(0);
  });
});

/** Everything that a batch would write, table by table. */
const contentOf = (batch: LedgerBatch) => ({
  inserted: insertTables.map((table) => [table, batch.rows(table)]),
  merged: upsertTables.map((table) => [table, [...batch.staged(table).settled()]]),
});

describe.runIf(hasRealStreams)('every one of them', () => {
  const folder = 'errata/mainnet/missingtransactions';

  it('makes the rows that its original bytes make', async () => {
    const names = readdirSync(`${realStreams}/${folder}`).sort();
    const originals = names.map((name) => {
      const bytes = new Uint8Array(readReal(`${folder}/${name}`));
      const record = new DataView(bytes.buffer).getInt32(0);
      return { record: bytes.subarray(4, 4 + record), transaction: bytes.subarray(8 + record) };
    });
    expect(originals).toHaveLength(113);
    const ours = new Map(readMissingTransactions().map((item) => [item.consensusTimestamp, item]));
    // Options that show more of a transaction than its usual rows.
    const shown = { entityTransactions: true, itemizedTransfers: true, transactionRecordBytes: true };
    const context = { ...wholeHistory, persist: { ...defaultPersist, ...shown } };
    let scheduled = 0;
    await ledger.database.transaction(async (client) => {
      for (const original of originals) {
        const expected = await rowsOf(client, [original], context);
        const [row] = expected.rows('transaction');
        const item = ours.get(row?.consensus_timestamp ?? 0n);
        expect(contentOf(await rowsOf(client, item === undefined ? [] : [item], context))).toEqual(contentOf(expected));
        scheduled += expected.staged('schedule').size;
      }
    });
    // Else the comparison would have seen plain rows only.
    expect(scheduled).toBe(6);
  });
});
