import { describe, expect, it } from 'vitest';
import type { Queryable } from '../database/connection.ts';
import { encodeTransaction, transactionOf } from '../ledger/testing/ethereum-transaction.fixture.ts';
import { TransactionType } from '../ledger/transaction-type.ts';
import { PrefetchedFileContents } from './file-contents.ts';
import { LedgerBatch } from './ledger-batch.ts';
import type { RecordItem } from './record-item.ts';
import { useTestLedger } from './testing/ledger.fixture.ts';
import { itemOf } from './transactions/testing/handled.fixture.ts';

const { FILECREATE, FILEAPPEND, FILEUPDATE } = TransactionType;

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const shown = (contents: Uint8Array | undefined): string | undefined => contents && Buffer.from(contents).toString();
const id = (fileNum: bigint, shardNum = 0n) => ({ shardNum, realmNum: 0n, fileNum });

const insert =
  (entity_id: bigint, ...rows: readonly (readonly [bigint, number, string])[]) =>
  (batch: LedgerBatch): void => {
    for (const [consensus_timestamp, transaction_type, contents] of rows) {
      batch.insert('file_data', { consensus_timestamp, entity_id, transaction_type, file_data: text(contents) });
    }
  };

const naming = (fileNum: bigint, ethereumHash = new Uint8Array(0)): RecordItem =>
  itemOf({
    data: {
      $case: 'ethereumTransaction',
      ethereumTransaction: { ethereumData: encodeTransaction(transactionOf(2)), callData: { fileNum } },
    },
    record: { ethereumHash },
  });

describe('contents of files', () => {
  const ledger = useTestLedger();

  const batchWith = (...fills: readonly ((batch: LedgerBatch) => void)[]): LedgerBatch => {
    const batch = new LedgerBatch({ entityHistory: true });
    batch.beginBlock();
    for (const fill of fills) fill(batch);
    return batch;
  };

  /** What is known of the files, of which the database was asked, and after what the batch holds. */
  const known = async (wanted: readonly bigint[], ...fills: readonly ((batch: LedgerBatch) => void)[]) => {
    const files = new PrefetchedFileContents();
    files.useBatch(batchWith(...fills));
    await files.prefetch(
      ledger.database,
      wanted.map((fileNum) => naming(fileNum)),
    );
    return wanted.map((fileNum) => shown(files.contents(id(fileNum))));
  };

  it('go from the last creation or update with contents through what was appended', async () => {
    await ledger.write(
      insert(11n, [1n, FILECREATE, 'old'], [2n, FILEAPPEND, 'er'], [3n, FILEUPDATE, 'new'], [4n, FILEAPPEND, '-er']),
      insert(12n, [5n, FILECREATE, ''], [6n, FILEAPPEND, 'a'], [7n, FILEUPDATE, ''], [8n, FILEAPPEND, 'b']),
      insert(13n, [9n, FILEAPPEND, 'tail']),
      insert(112n, [10n, FILECREATE, 'rates']),
    );
    expect(await known([11n, 12n, 13n, 14n, 112n])).toEqual(['new-er', 'ab', undefined, undefined, 'rates']);
  });

  it('see what the batch did since', async () => {
    await ledger.write(insert(21n, [21n, FILECREATE, 'a']), insert(22n, [22n, FILECREATE, 'x']));
    const rows = await known(
      [21n, 22n, 23n, 24n],
      insert(21n, [31n, FILEAPPEND, 'b'], [32n, FILEUPDATE, ''], [33n, FILEAPPEND, 'c']),
      insert(22n, [34n, FILEAPPEND, 'y'], [35n, FILEUPDATE, 'z'], [36n, FILEAPPEND, '!']),
      insert(23n, [37n, FILECREATE, ''], [38n, FILEAPPEND, 'made here']),
      insert(24n, [39n, FILEAPPEND, 'of nothing']),
    );
    expect(rows).toEqual(['abc', 'z!', 'made here', undefined]);
  });

  it('are hex text with or without prefix, or no hex at all', () => {
    const files = new PrefetchedFileContents();
    files.useBatch(
      batchWith(
        insert(41n, [1n, FILECREATE, '60'], [2n, FILEAPPEND, 'fF']),
        insert(42n, [3n, FILECREATE, '0x60ff']),
        insert(43n, [4n, FILECREATE, '60f']),
      ),
    );
    const bytesOf = (num: bigint) => files.hexContents(id(num));
    expect([bytesOf(41n), bytesOf(42n), bytesOf(43n), bytesOf(44n)]).toEqual([
      Uint8Array.of(0x60, 0xff),
      Uint8Array.of(0x60, 0xff),
      undefined,
      undefined,
    ]);
    expect(files.contents(id(41n, -1n))).toBeUndefined();
  });

  it('are asked for in one query, only of files that a hash depends on', async () => {
    const asked: unknown[] = [];
    const client: Queryable = {
      query: async (_, values) => {
        asked.push(values);
        return [];
      },
    };
    const files = new PrefetchedFileContents();
    const other = itemOf({ data: { $case: 'cryptoTransfer', cryptoTransfer: {} } });
    const plain = itemOf({ data: { $case: 'ethereumTransaction', ethereumTransaction: {} } });
    await files.prefetch(client, [other, plain, naming(51n, new Uint8Array(32))]);
    expect(asked).toEqual([]);
    await files.prefetch(client, [naming(51n), other, naming(52n), naming(51n)]);
    expect(asked).toEqual([[[51n, 52n]]]);
  });
});
