import { describe, expect, it } from 'vitest';
import type { RowOf } from '../database/table.ts';
import { TransactionType } from '../ledger/transaction-type.ts';
import { LedgerBatch } from './ledger-batch.ts';
import { useTestLedger } from './testing/ledger.fixture.ts';

const transaction = (at: bigint, type: number): RowOf<'transaction'> =>
  ({
    consensus_timestamp: at,
    type,
    result: 22,
    payer_account_id: 1001n,
    valid_start_ns: at - 1n,
    scheduled: false,
    nonce: 0,
    high_volume: false,
    inner_transactions: null,
  }) as RowOf<'transaction'>;

const ledger = useTestLedger();

describe('rows that are encoded while their block is still being handled', () => {
  it('are all written, those of atomic batches with the inner transactions that came later', async () => {
    await ledger.write((batch: LedgerBatch) => {
      const outer = transaction(10n, TransactionType.ATOMICBATCH);
      batch.registerBatchTransaction(outer);
      batch.insert('transaction', outer);
      batch.insert('transaction', transaction(5n, TransactionType.CRYPTOTRANSFER));
      batch.encodeRows();
      expect(batch.rows('transaction')).toEqual([outer]);
      expect(batch.encodedRows('transaction')?.count).toBe(1);
      outer.inner_transactions = [1001n, 9n];
      batch.encodeRows();
      batch.insert('transaction', transaction(11n, TransactionType.CRYPTOTRANSFER));
    });
    const rows = await ledger.database.query(
      'select consensus_timestamp, inner_transactions from transaction order by consensus_timestamp',
    );
    expect(rows).toEqual([
      { consensus_timestamp: '5', inner_transactions: null },
      { consensus_timestamp: '10', inner_transactions: ['1001', '9'] },
      { consensus_timestamp: '11', inner_transactions: null },
    ]);
  });

  it('leave tables alone that are read before they are written', () => {
    const batch = new LedgerBatch({ entityHistory: true });
    const file = { consensus_timestamp: 1n, entity_id: 102n, file_data: new Uint8Array(1), transaction_type: 19 };
    batch.insert('file_data', file);
    batch.encodeRows();
    expect(batch.rows('file_data')).toEqual([file]);
    expect(batch.encodedRows('file_data')).toBeUndefined();
  });
});
