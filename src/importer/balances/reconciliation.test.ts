import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { type ReconciledFile, type ReconciliationOptions, reconcileBalanceFiles } from './reconciliation.ts';

const T = 1_600_000_000_000_000_000n;
const STEP = 1_000n;
const SUPPLY = 5_000_000_000_000_000_000n;

let target: TestDatabase;
const query = (sql: string, values: readonly unknown[] = []) => target.database.query(sql, values);

beforeAll(async () => {
  target = await createTestDatabase();
});
afterAll(() => target.drop());
beforeEach(async () => {
  for (const table of [
    'account_balance_file',
    'account_balance',
    'token_balance',
    'record_file',
    'crypto_transfer',
    'token_transfer',
    'transaction',
    'reconciliation_job',
  ]) {
    await query(`delete from ${table}`);
  }
  await query(
    `insert into record_file (name, load_start, load_end, hash, prev_hash, consensus_start, consensus_end, count,
       digest_algorithm, version, file_hash, index)
     values ('block', 0, 0, 'hash', '', $1, $2, 1, 0, 6, '', 7)`,
    [T, T + 10n * STEP],
  );
});

/** File number `i` lies at T + i steps. Accounts 2 and 3 share all hbars. */
const addFile = async (i: bigint, ofAccount3: bigint, options: { lost?: bigint; offset?: number } = {}) => {
  const at = T + i * STEP;
  await query(
    `insert into account_balance_file (consensus_timestamp, count, load_start, load_end, name, time_offset, synthetic)
     values ($1, 2, 0, 0, 'file', $2, false)`,
    [at, options.offset ?? 0],
  );
  await query(
    'insert into account_balance (consensus_timestamp, account_id, balance) values ($1, 2, $2), ($1, 3, $3)',
    [at, SUPPLY - ofAccount3 - (options.lost ?? 0n), ofAccount3],
  );
};

const addTransfer = (at: bigint, amount: bigint, errata: string | null = null) =>
  query(
    `insert into crypto_transfer (entity_id, amount, consensus_timestamp, payer_account_id, errata)
     values (3, $2, $1, 2, $3), (2, -$2::bigint, $1, 2, $3)`,
    [at, amount, errata],
  );

const reconcile = async (options: Partial<ReconciliationOptions> = {}) => {
  const files: ReconciledFile[] = [];
  const report = await reconcileBalanceFiles({
    database: target.database,
    strategy: 'FAIL',
    tokens: false,
    delayMs: 0,
    limit: 10,
    onFile: (file) => files.push(file),
    ...options,
  });
  return {
    report,
    files: files.map(({ consensusTimestamp, status }) => [(consensusTimestamp - T) / STEP, status]),
    all: files,
  };
};

const jobs = () =>
  query(
    `select (consensus_timestamp - $1) / $2 as step, count, status, error, timestamp_end >= timestamp_start as ended
     from reconciliation_job order by timestamp_start`,
    [T, STEP],
  );

describe('reconciliation of balance files', () => {
  it('is nothing without balance files; snapshots made from transfers are none', async () => {
    expect((await reconcile()).report).toBeUndefined();
    await addFile(1n, 100n);
    await query('update account_balance_file set synthetic = true');
    expect((await reconcile()).report).toBeUndefined();
    expect(await jobs()).toEqual([]);
  });

  it('finds what adds up, notes the job, and goes on after it', async () => {
    await addFile(1n, 100n);
    await addTransfer(T + STEP, 1_000n);
    await addTransfer(T + STEP + 1n, 5n);
    await addTransfer(T + STEP + 2n, 77n, 'DELETE');
    await addTransfer(T + 2n * STEP, 6n);
    await addFile(2n, 111n);
    const first = await reconcile();
    expect(first.report).toEqual({ status: 2, files: 1, last: T + 2n * STEP, error: '' });
    expect(first.files).toEqual([
      [1n, 2],
      [2n, 2],
    ]);
    expect(await jobs()).toEqual([{ step: '2', count: '1', status: 2, error: '', ended: true }]);

    await addTransfer(T + 3n * STEP, -11n);
    await addFile(3n, 100n);
    // Blocks end at 10.
    await addFile(11n, 1n);
    const second = await reconcile();
    expect(second.report).toMatchObject({ status: 2, files: 1, last: T + 3n * STEP });
    expect(second.files).toEqual([[3n, 2]]);
    expect((await reconcile()).report).toMatchObject({ status: 2, files: 0, last: T + 3n * STEP });
  });

  it('counts transactions by the time offsets of the files', async () => {
    await addFile(1n, 100n, { offset: -1 });
    await addTransfer(T + STEP, 5n);
    await addTransfer(T + 2n * STEP + 53n, 6n);
    await addFile(2n, 111n, { offset: 53 });
    expect((await reconcile()).report).toMatchObject({ status: 2, files: 1 });
  });

  it('stops at a difference, and finds it again until it is gone', async () => {
    await addFile(1n, 100n);
    await addTransfer(T + STEP + 1n, 5n);
    await addFile(2n, 106n);
    await addFile(3n, 106n);
    const { report, all } = await reconcile();
    const error = `Balance file of 1600000000.000002000: account 2 is ${SUPPLY - 106n}, should be ${SUPPLY - 105n}, and 1 more`;
    expect(report).toEqual({ status: 3, files: 1, last: T + STEP, error });
    expect(all.at(-1)).toEqual({
      consensusTimestamp: T + 2n * STEP,
      status: 3,
      differences: [
        { account: 2n, token: null, expected: SUPPLY - 105n, actual: SUPPLY - 106n },
        { account: 3n, token: null, expected: 105n, actual: 106n },
      ],
      differenceCount: 2,
    });
    expect((await reconcile({ limit: 1 })).all.at(-1)).toMatchObject({
      differences: [{ account: 2n }],
      differenceCount: 2,
    });
    await addTransfer(T + STEP + 1n, 1n);
    expect((await reconcile()).report).toMatchObject({ status: 2, files: 2 });
    expect((await jobs()).map(({ step, status }) => [step, status])).toEqual([
      ['1', 3],
      ['1', 3],
      ['3', 2],
    ]);
  });

  it('goes on from the file or from what was computed, as it is told', async () => {
    await addFile(1n, 100n);
    await addFile(2n, 106n);
    await addTransfer(T + 2n * STEP + 1n, 4n);
    await addFile(3n, 110n);
    const reset = await reconcile({ strategy: 'RESET' });
    expect(reset.report).toMatchObject({ status: 3, files: 2, last: T + 3n * STEP });
    expect(reset.files).toEqual([
      [1n, 2],
      [2n, 3],
      [3n, 2],
    ]);
    await query('delete from reconciliation_job');
    const accumulated = await reconcile({ strategy: 'ACCUMULATE' });
    expect(accumulated.files).toEqual([
      [1n, 2],
      [2n, 3],
      [3n, 3],
    ]);
    expect(accumulated.all.at(-1)?.differences[1]).toEqual({ account: 3n, token: null, expected: 104n, actual: 110n });
  });

  it('asks for 50 billion hbars in each file', async () => {
    await addFile(1n, 100n, { lost: 1n });
    const { report, all } = await reconcile();
    expect(report).toMatchObject({ status: 4, files: 0, last: 0n });
    expect(all[0]?.differences).toEqual([{ account: null, token: null, expected: SUPPLY, actual: SUPPLY - 1n }]);
    expect(await query('select status, error from reconciliation_job')).toEqual([
      {
        status: 4,
        error:
          'Balance file of 1600000000.000001000: the sum of all balances is 4999999999999999999, should be 5000000000000000000',
      },
    ]);
  });

  it('compares tokens and NFTs when told to', async () => {
    await addFile(1n, 0n);
    await addFile(2n, 0n);
    await query(
      `insert into token_balance (consensus_timestamp, account_id, token_id, balance) values
         ($1, 3, 1001, 10), ($1, 3, 1002, 2), ($2, 3, 1001, 4), ($2, 9, 1001, 7), ($2, 3, 1002, 1), ($2, 9, 1002, 1), ($2, 9, 1003, 50)`,
      [T + STEP, T + 2n * STEP],
    );
    await query(
      `insert into token_transfer (token_id, account_id, consensus_timestamp, amount, payer_account_id)
       values (1001, 3, $1, -6, 2), (1001, 9, $1, 6, 2)`,
      [T + STEP + 5n],
    );
    const moves = [
      { sender_account_id: 3, receiver_account_id: 9, serial_number: 8, token_id: 1002 },
      { sender_account_id: 3, receiver_account_id: 9, serial_number: -1, token_id: 1003 },
    ];
    await query(
      `insert into transaction (consensus_timestamp, type, result, payer_account_id, valid_start_ns, node_account_id, nonce, nft_transfer)
       values ($1, 14, 22, 2, 1, 3, 0, $2)`,
      [T + STEP + 5n, JSON.stringify(moves)],
    );
    const { report, all } = await reconcile({ tokens: true });
    expect(report).toMatchObject({
      status: 5,
      error: 'Balance file of 1600000000.000002000: account 9 with token 1001 is 7, should be 6',
    });
    expect(all.at(-1)?.differences).toEqual([{ account: 9n, token: 1001n, expected: 6n, actual: 7n }]);
    expect((await reconcile()).report).toMatchObject({ status: 2, files: 1 });
  });

  it('keeps to the wanted period and to what blocks cover', async () => {
    await addFile(-1n, 5n);
    for (const i of [1n, 2n, 3n, 4n]) await addFile(i, 100n);
    const { files } = await reconcile({ from: T + 2n * STEP, to: T + 3n * STEP });
    expect(files).toEqual([
      [2n, 2],
      [3n, 2],
    ]);
    await query('delete from reconciliation_job');
    expect((await reconcile()).files[0]).toEqual([1n, 2]);
  });

  it('notes what it failed with', async () => {
    await addFile(1n, 100n);
    const onFile = () => {
      throw new Error('no room');
    };
    await expect(reconcile({ onFile })).rejects.toThrow('no room');
    expect(await query('select status, error from reconciliation_job')).toEqual([{ status: 6, error: 'no room' }]);
  });
});
