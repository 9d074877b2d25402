import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../database/connection.ts';
import { acquireWriter, type WriterLease } from '../../database/fencing.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import type { KagamiError } from '../../errors/kagami-error.ts';
import { type Pruned, prune, type RetentionOptions } from './retention.ts';

const HOUR_MS = 3_600_000;
const HOUR = 3_600_000_000_000n;
/** 2024-06-15T00:00:00Z. */
const START = 1_718_409_600_000_000_000n;

const DEFAULTS = {
  enabled: true,
  period: 3 * HOUR_MS,
  frequency: HOUR_MS,
  batchPeriod: HOUR_MS,
  include: [],
  exclude: [],
};

let test: TestDatabase;
let lease: WriterLease;
beforeAll(async () => {
  test = await createTestDatabase();
  lease = await acquireWriter({ connectionString: test.connectionString });
});
afterEach(() =>
  test.database.query(`delete from record_file; delete from transaction; delete from crypto_transfer;
    truncate topic_message; delete from entity_history; delete from node_stake; delete from entity_stake_history`),
);
afterAll(async () => {
  await lease.release();
  await test.drop();
});

const query = <R>(text: string, values: readonly unknown[] = []): Promise<R[]> => test.database.query<R>(text, values);

/** Blocks from..to of two transactions each: block n begins n hours after the start and takes 10 nanoseconds. */
const writeBlocks = async (from: number, to: number): Promise<void> => {
  const values = [START, from, to];
  const blocks = `generate_series($2::bigint, $3::bigint) n, lateral (select $1::bigint + n * ${HOUR} as t)`;
  await query(
    `insert into record_file (name, load_start, load_end, hash, file_hash, prev_hash, consensus_start, consensus_end, count,
       digest_algorithm, hapi_version_major, version, index, sidecar_count)
     select n::text, 0, 0, lpad(n::text, 96, '0'), '', '', t, t + 9, 2, 0, 0, 6, n, 0 from ${blocks} b`,
    values,
  );
  for (const offset of [0, 9]) {
    const times = [START + BigInt(offset), from, to];
    await query(
      `insert into transaction (consensus_timestamp, type, result, payer_account_id, valid_start_ns)
       select t, 14, 22, 2, 0 from ${blocks} b`,
      times,
    );
    await query(
      `insert into crypto_transfer (entity_id, consensus_timestamp, amount, payer_account_id)
       select e, t, 1, 2 from ${blocks} b, generate_series(1, 3) e`,
      times,
    );
  }
  await query(
    `insert into topic_message (consensus_timestamp, message, running_hash, sequence_number, topic_id)
     select t, '', '', n, 7 from ${blocks} b`,
    values,
  );
  await query(
    `insert into entity_history (id, num, realm, shard, timestamp_range)
     select 8, 8, 0, 0, int8range(t + 5, t + 5 + ${HOUR}) from ${blocks} b`,
    values,
  );
};

const pruneWith = async (
  settings: Partial<RetentionOptions['settings']> = {},
  options: Partial<RetentionOptions> = {},
): Promise<Pruned[]> => {
  const steps: Pruned[] = [];
  await prune({
    database: test.database,
    lease,
    settings: { ...DEFAULTS, ...settings },
    onPruned: (pruned) => steps.push(pruned),
    ...options,
  });
  return steps;
};

/** Blocks that a table has rows of. */
const blocksIn = async (table: string, time = 'consensus_timestamp'): Promise<number[]> => {
  const rows = await query<{ n: string }>(
    `select distinct (${time} - ${START}) / ${HOUR} as n from ${table} order by 1`,
  );
  return rows.map(({ n }) => Number(n));
};

const upTo = (block: number): bigint => START + BigInt(block) * HOUR + 9n;

describe('prune', () => {
  it('deletes block by block, oldest first, and keeps what the period covers', async () => {
    await writeBlocks(1, 10);
    const steps = await pruneWith();
    // Block 7 ends exactly three hours before block 10 does.
    expect(steps.filter(({ rows }) => rows.has('transaction'))).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((block) => ({
        upTo: upTo(block),
        partitions: [],
        rows: new Map([
          ['crypto_transfer', 6n],
          ['transaction', 2n],
          ['record_file', 1n],
          ...(block > 1 ? [['entity_history', 1n] as const] : []),
        ]),
      })),
    );
    expect(await blocksIn('transaction')).toEqual([8, 9, 10]);
    expect(await blocksIn('crypto_transfer')).toEqual([8, 9, 10]);
    expect(await blocksIn('record_file', 'consensus_end')).toEqual([8, 9, 10]);
    expect(await blocksIn('topic_message')).toEqual([8, 9, 10]);
    // The version that was current when block 8 began is still needed.
    expect(await blocksIn('entity_history', 'lower(timestamp_range)')).toEqual([7, 8, 9, 10]);
    expect(await pruneWith()).toEqual([]);
  });

  it('takes as many blocks at once as the batch period and the bounds allow', async () => {
    await writeBlocks(1, 10);
    const steps = await pruneWith({ batchPeriod: 5 * HOUR_MS, exclude: ['topic_message', 'entity_history'] });
    expect(steps.map((step) => [step.upTo, step.rows.get('record_file')])).toEqual([
      [upTo(5), 5n],
      [upTo(7), 2n],
    ]);
    await writeBlocks(11, 20);
    const bounded = await pruneWith(
      { batchPeriod: 100 * HOUR_MS, exclude: ['topic_message', 'entity_history'] },
      { bounds: { transactions: 9, pages: 1_024 } },
    );
    expect(bounded.map((step) => [step.upTo, step.rows.get('record_file')])).toEqual([
      [upTo(11), 4n],
      [upTo(15), 4n],
      [upTo(17), 2n],
    ]);
  });

  it('takes a block whole, however short the batch period', async () => {
    await writeBlocks(1, 5);
    const steps = await pruneWith({ batchPeriod: 0, include: ['transaction'] });
    expect(steps.map((step) => [step.upTo, step.rows.get('transaction')])).toEqual([
      [upTo(1), 2n],
      [upTo(2), 2n],
    ]);
  });

  it('only takes the tables that are chosen, and goes on where these begin', async () => {
    await writeBlocks(1, 6);
    await pruneWith({ include: ['crypto_transfer', ' TOPIC_MESSAGE ', 'transaction'], exclude: ['transaction'] });
    expect(await blocksIn('crypto_transfer')).toEqual([4, 5, 6]);
    expect(await blocksIn('topic_message')).toEqual([4, 5, 6]);
    expect(await blocksIn('transaction')).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await blocksIn('record_file', 'consensus_end')).toEqual([1, 2, 3, 4, 5, 6]);
    await writeBlocks(7, 8);
    const steps = await pruneWith({ include: ['crypto_transfer'] });
    expect(steps.map((step) => step.upTo)).toEqual([upTo(4), upTo(5)]);
  });

  it('deletes rows of times whose blocks are long gone', async () => {
    await writeBlocks(1, 6);
    await query('delete from record_file where index <= 4');
    const steps = await pruneWith({ period: HOUR_MS, include: ['transaction'] });
    // Where there are no blocks a step ends with its period, here between the transactions of what was block 2.
    expect(steps.map((step) => step.rows.get('transaction'))).toEqual([3n, 3n, 4n]);
    expect(await blocksIn('transaction')).toEqual([6]);
  });

  it('always keeps the newest block, and takes none from an empty database', async () => {
    expect(await pruneWith({ period: 0 })).toEqual([]);
    await writeBlocks(1, 3);
    await pruneWith({ period: 0 });
    expect(await blocksIn('record_file', 'consensus_end')).toEqual([3]);
    expect(await blocksIn('transaction')).toEqual([3]);
  });

  it('goes on where a pass was ended', async () => {
    await writeBlocks(1, 6);
    const stop = new AbortController();
    const seen: bigint[] = [];
    await pruneWith(
      {},
      {
        signal: stop.signal,
        onPruned: (pruned) => {
          seen.push(pruned.upTo);
          if (seen.length === 2) stop.abort();
        },
      },
    );
    expect(seen).toEqual([upTo(1), upTo(2)]);
    expect(await blocksIn('transaction')).toEqual([3, 4, 5, 6]);
    expect(await blocksIn('topic_message')).toEqual([1, 2, 3, 4, 5, 6]);
    await pruneWith();
    expect(await blocksIn('transaction')).toEqual([4, 5, 6]);
    expect(await blocksIn('topic_message')).toEqual([4, 5, 6]);
  });

  it('deletes nothing once another writer has taken over', async () => {
    await writeBlocks(1, 6);
    await query('update kagami.writer set token = token + 1');
    await expect(pruneWith()).rejects.toThrow(expect.objectContaining({ code: 'WRITER_FENCED' }) as KagamiError);
    expect(await blocksIn('transaction')).toEqual([1, 2, 3, 4, 5, 6]);
    await query('update kagami.writer set token = token - 1');
  });

  it('neither waits for the import nor keeps it waiting', async () => {
    await writeBlocks(1, 6);
    const impatient = openDatabase({
      connectionString: test.connectionString,
      sessionSettings: { lock_timeout: '2s' },
    });
    const insert = (nanos: bigint): string =>
      `insert into transaction (consensus_timestamp, type, result, payer_account_id, valid_start_ns)
       values (${nanos}, 14, 22, 2, 0)`;
    try {
      await impatient.transaction(async (importing) => {
        await lease.check(importing);
        await importing.query(insert(upTo(7)));
        await pruneWith({}, { database: impatient });
      });
      expect(await blocksIn('transaction')).toEqual([4, 5, 6, 7]);
      let inserted = false;
      await writeBlocks(8, 9);
      const duringPrune: RetentionOptions['lease'] = {
        check: async (client) => {
          await lease.check(client);
          await client.query(`delete from transaction where consensus_timestamp <= ${upTo(4)}`);
          if (inserted) return;
          inserted = true;
          await impatient.transaction(async (importing) => {
            await lease.check(importing);
            await importing.query(insert(upTo(10)));
          });
        },
      };
      await pruneWith({}, { lease: duringPrune });
    } finally {
      await impatient.close();
    }
    expect(await blocksIn('transaction')).toEqual([8, 9, 10]);
  });

  it('reads tables without an index on time some pages at a time', async () => {
    await writeBlocks(1, 6);
    await query('truncate topic_message');
    await query(
      `insert into topic_message (consensus_timestamp, message, running_hash, sequence_number, topic_id)
       select $1::bigint + n * ${HOUR / 500n}, repeat('x', 400)::bytea, '', n, 7 from generate_series(1, 3000) n`,
      [START],
    );
    const steps = await pruneWith({ include: ['topic_message'] }, { bounds: { transactions: 1, pages: 16 } });
    const counts = steps.map(({ rows }) => rows.get('topic_message') ?? 0n);
    expect(counts.reduce((sum, count) => sum + count, 0n)).toBe(1_999n);
    expect(counts.length).toBeGreaterThan(5);
    expect(await query('select count(*) as count, min(sequence_number) as first from topic_message')).toEqual([
      { count: '1001', first: '2000' },
    ]);
  });

  it('keeps the stakes of the newest 366 days, which rewards are computed from', async () => {
    await writeBlocks(1, 6);
    await query(
      `insert into node_stake (consensus_timestamp, epoch_day, max_stake, min_stake, node_id, reward_rate, stake,
         stake_not_rewarded, stake_rewarded, staking_period)
       select n, n, 0, 0, 0, 0, 0, 0, 0, 0 from generate_series(1, 400) n`,
    );
    await query(
      `insert into entity_stake_history (end_stake_period, id, pending_reward, staked_node_id_start, staked_to_me,
         stake_total_start, timestamp_range)
       select n, 9, 0, 0, 0, 0, int8range(n, n + 1) from generate_series(1, 400) n`,
    );
    await pruneWith();
    expect(await query('select min(epoch_day) as first, max(epoch_day) as last from node_stake')).toEqual([
      { first: '35', last: '400' },
    ]);
    expect(await query('select min(end_stake_period) as first from entity_stake_history')).toEqual([{ first: '35' }]);
  });

  it('drops whole months of balances when these are chosen', async () => {
    await writeBlocks(1, 6);
    const partitions = async (): Promise<string[]> => {
      const rows = await query<{ name: string }>(
        `select name from mirror_node_time_partitions where parent = 'account_balance' order by from_timestamp limit 2`,
      );
      return rows.map(({ name }) => name);
    };
    await pruneWith();
    expect(await partitions()).toEqual(['account_balance_p1970_01', 'account_balance_p2019_09']);
    const steps = await pruneWith({ include: ['account_balance'] });
    expect(steps.length).toBe(57);
    expect(steps[0]).toEqual({
      upTo: START + 4n * HOUR - 1n - 31n * 24n * HOUR,
      rows: new Map(),
      partitions: ['account_balance_p1970_01'],
    });
    // Balances of June may come from a snapshot of May.
    expect(await partitions()).toEqual(['account_balance_p2024_05', 'account_balance_p2024_06']);
  });

  it('refuses tables that do not exist or keep everything', async () => {
    const refusal = (list: 'include' | 'exclude', name: string) =>
      pruneWith({ [list]: [name] }).catch((fault: KagamiError) => [fault.code, fault.details.setting]);
    expect(await refusal('include', 'transactions')).toEqual([
      'CONFIG_INVALID',
      'hiero.mirror.importer.retention.include',
    ]);
    expect(await refusal('exclude', 'entity')).toEqual(['CONFIG_INVALID', 'hiero.mirror.importer.retention.exclude']);
  });
});
