/** Stakes and pending rewards, rule by rule. Days are numbered from the epoch; the network publishes at 00:00:01 of the next. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import { PendingRewards } from './pending-rewards.ts';
import type { RewardPeriod } from './reward-period.ts';

const nanosPerDay = 86_400_000_000_000n;
const second = 1_000_000_000n;
const hbar = 100_000_000n;

/** When the end of a day is published: shortly after midnight. */
const publishedAt = (day: bigint): bigint => (day + 1n) * nanosPerDay + second;
const noonOf = (day: bigint): bigint => day * nanosPerDay + nanosPerDay / 2n;

const day = 20_000n;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() =>
  run(
    `delete from entity; delete from entity_history; delete from entity_stake; delete from entity_stake_history;
     delete from node_stake; delete from crypto_transfer; delete from account_balance; delete from record_file`,
  ),
);

const run = (sql: string, values?: readonly unknown[]): Promise<unknown[]> => test.database.query(sql, values);

interface Staker {
  readonly id: bigint;
  readonly node?: bigint;
  readonly account?: bigint;
  readonly start?: bigint;
  readonly declines?: boolean;
  readonly deleted?: boolean;
  readonly type?: string;
  readonly range?: string;
}

const entity = (table: 'entity' | 'entity_history', staker: Staker): Promise<unknown> =>
  run(
    `insert into ${table} (id, num, realm, shard, type, staked_node_id, staked_account_id, stake_period_start,
       decline_reward, deleted, timestamp_range) values ($1, $1, 0, 0, $2, $3, $4, $5, $6, $7, $8)`,
    [
      staker.id,
      staker.type ?? 'ACCOUNT',
      staker.node ?? -1n,
      staker.account ?? null,
      staker.start ?? -1n,
      staker.declines ?? false,
      staker.deleted ?? false,
      staker.range ?? '[1,)',
    ],
  );
const staker = (of: Staker): Promise<unknown> => entity('entity', of);

const snapshot = async (at: bigint, balances: Readonly<Record<string, bigint>>): Promise<void> => {
  for (const [id, balance] of Object.entries({ 2: 0n, ...balances })) {
    await run('insert into account_balance (consensus_timestamp, account_id, balance) values ($1, $2, $3)', [
      at,
      id,
      balance,
    ]);
  }
};

const transfer = (at: bigint, id: bigint, amount: bigint, errata: string | null = null): Promise<unknown> =>
  run(
    `insert into crypto_transfer (consensus_timestamp, entity_id, amount, payer_account_id, errata)
     values ($1, $2, $3, 2, $4)`,
    [at, id, amount, errata],
  );

/** The block in which a network makes its treasury and the rest of its accounts. */
const genesisBlock = (end: bigint): Promise<unknown> =>
  run(
    `insert into record_file (name, load_start, load_end, hash, prev_hash, consensus_start, consensus_end, count,
       digest_algorithm, version, file_hash, index) values ('genesis', 0, 0, '', '', 0, $1, 1, 0, 6, '', 0)`,
    [end],
  );

/** Reward rates by node at the end of a day. */
const published = async (ofDay: bigint, rates: Readonly<Record<string, bigint>>, at = publishedAt(ofDay)) => {
  for (const [node, rate] of Object.entries(rates)) {
    await run(
      `insert into node_stake (consensus_timestamp, epoch_day, node_id, reward_rate, stake, stake_rewarded,
         staking_period, max_stake, min_stake, stake_not_rewarded) values ($1, $2, $3, $4, 0, 0, 0, 0, 0, 0)`,
      [at, ofDay, node, rate],
    );
  }
};

interface Stake {
  readonly id: bigint;
  readonly reward?: bigint;
  readonly node?: bigint;
  readonly total?: bigint;
  /** The day at whose end the row was written. */
  readonly day?: bigint;
}

const stake = ({ id, reward = 0n, node = -1n, total = 0n, day: ofDay = day - 1n }: Stake): Promise<unknown> =>
  run(
    `insert into entity_stake (end_stake_period, id, pending_reward, staked_node_id_start, staked_to_me,
       stake_total_start, timestamp_range) values ($1, $2, $3, $4, 0, $5, int8range($6, null))`,
    [ofDay, id, reward, node, total, publishedAt(ofDay)],
  );

const pastStake = ({ id, node = -1n, total = 0n, day: ofDay = 0n }: Stake): Promise<unknown> =>
  run(
    `insert into entity_stake_history (end_stake_period, id, pending_reward, staked_node_id_start, staked_to_me,
       stake_total_start, timestamp_range) values ($1, $2, 0, $3, 0, $4, int8range($5, $6))`,
    [ofDay, id, node, total, publishedAt(ofDay), publishedAt(ofDay + 1n)],
  );

const rewards = (faults: unknown[] = [], periods: RewardPeriod[] = [], signal = new AbortController().signal) =>
  new PendingRewards({
    database: test.database,
    lease: { check: async () => undefined },
    network: { shard: 0n, realm: 0n },
    signal,
    onFault: (fault) => faults.push(fault),
    onPeriod: (period) => periods.push(period),
  });

/** Does what is open and gives the days that were. */
const catchUp = async (): Promise<bigint[]> => {
  const faults: unknown[] = [];
  const periods: RewardPeriod[] = [];
  const work = rewards(faults, periods);
  work.start();
  await work.settle();
  expect(faults).toEqual([]);
  return periods.map((period) => period.day);
};

const stakes = async (table = 'entity_stake'): Promise<string[]> =>
  (
    await test.database.query<{ text: string }>(
      `select id || ': reward ' || pending_reward || ', node ' || staked_node_id_start || ', to me ' || staked_to_me ||
         ', total ' || stake_total_start as text from ${table} order by id, timestamp_range`,
    )
  ).map(({ text }) => text);

const rewardOf = async (id: bigint): Promise<string | undefined> =>
  (await test.database.query<{ pending_reward: string }>('select pending_reward from entity_stake where id = $1', [id]))
    .map(({ pending_reward }) => pending_reward)
    .at(0);

describe('what is staked at the end of a period', () => {
  beforeEach(async () => {
    await staker({ id: 800n, range: `[${noonOf(day) - 5n},)` });
    await published(day, { 0: 7n, 1: 9n });
    await snapshot(noonOf(day), { 10: 500n * hbar, 11: 70n * hbar, 800: 40n });
  });

  it('is what each account has and others stake to it', async () => {
    await staker({ id: 10n, node: 1n });
    await staker({ id: 11n, account: 10n });
    await staker({ id: 12n, account: 10n, type: 'CONTRACT', declines: true });
    await staker({ id: 13n, account: 800n });
    await staker({ id: 14n, node: 0n, type: 'CONTRACT' });
    await transfer(noonOf(day), 10n, 999n);
    await transfer(noonOf(day) + 1n, 10n, 25n);
    await transfer(publishedAt(day), 10n, -5n);
    await transfer(publishedAt(day), 12n, 3n);
    await transfer(publishedAt(day), 13n, 2n);
    await transfer(publishedAt(day), 14n, 100n, 'DELETE');
    await transfer(publishedAt(day) + 1n, 14n, 1n);
    expect(await catchUp()).toEqual([day]);
    expect(await stakes()).toEqual([
      `10: reward 0, node 1, to me ${70n * hbar + 3n}, total ${570n * hbar + 23n}`,
      '14: reward 0, node 0, to me 0, total 0',
      '800: reward 0, node -1, to me 2, total 0',
    ]);
    const [row] = await test.database.query<Record<string, unknown>>(
      'select end_stake_period, timestamp_range::text from entity_stake where id = 10',
    );
    expect(row).toEqual({ end_stake_period: String(day), timestamp_range: `[${publishedAt(day)},)` });
  });

  it('leaves out who declines, is deleted, stakes to nobody or is no account', async () => {
    await staker({ id: 10n, node: 1n, declines: true });
    await staker({ id: 11n, node: 1n, deleted: true });
    await staker({ id: 12n });
    await staker({ id: 13n, node: 1n, type: 'TOPIC' });
    await staker({ id: 14n, account: 10n, deleted: true });
    expect(await catchUp()).toEqual([day]);
    expect(await stakes()).toEqual(['800: reward 0, node -1, to me 0, total 0']);
  });

  it('is what was chosen at that moment, not later', async () => {
    const end = publishedAt(day);
    await entity('entity_history', { id: 10n, node: 1n, range: `[1,${end + 1n})` });
    await staker({ id: 10n, node: 0n, range: `[${end + 1n},)` });
    await entity('entity_history', { id: 11n, node: 0n, range: `[1,${end})` });
    await staker({ id: 11n, node: 1n, range: `[${end},)` });
    await staker({ id: 12n, node: 1n, range: `[${end + 1n},)` });
    expect(await catchUp()).toEqual([day]);
    expect(await stakes()).toEqual([
      `10: reward 0, node 1, to me 0, total ${500n * hbar}`,
      `11: reward 0, node 1, to me 0, total ${70n * hbar}`,
      '800: reward 0, node -1, to me 0, total 0',
    ]);
  });

  it('takes balances from up to 31 days before, in deduplicated snapshots', async () => {
    const later = noonOf(day) + 900n * second;
    await staker({ id: 10n, node: 1n });
    await staker({ id: 11n, node: 1n });
    await snapshot(later, { 11: 80n * hbar });
    await transfer(noonOf(day) + second, 10n, 1n);
    await transfer(later + 1n, 11n, 1n);
    expect(await catchUp()).toEqual([day]);
    // The transfer of 10 lies before the snapshot, which would hold it.
    expect(await stakes()).toEqual([
      `10: reward 0, node 1, to me 0, total ${500n * hbar}`,
      `11: reward 0, node 1, to me 0, total ${80n * hbar + 1n}`,
      '800: reward 0, node -1, to me 0, total 0',
    ]);
  });
});

describe('the pending reward', () => {
  beforeEach(async () => {
    await staker({ id: 800n });
    await stake({ id: 800n });
    await published(day, { 0: 7n, 1: 9n });
    await snapshot(noonOf(day), { 10: 3n * hbar });
  });

  it.each([
    ['is 0 without a row of the period before', undefined, { start: day - 1n }, '0'],
    ['is 0 when nothing was staked to a node', { reward: 5n, total: 10n * hbar }, { start: day - 9n }, '0'],
    ['stays when the node has no rate', { reward: 5n, node: 3n, total: 10n * hbar }, { start: day - 9n }, '5'],
    ['is 0 when staking began in the period', { reward: 5n, node: 1n, total: 10n * hbar }, { start: day }, '0'],
    ['is 0 when staking began after it', { reward: 5n, node: 1n, total: 10n * hbar }, { start: day + 1n }, '0'],
    [
      'is that of the period alone when staking began the day before',
      { reward: 5n, node: 1n, total: 11n * hbar - 1n },
      { start: day - 1n },
      '90',
    ],
    ['grows by that of the period', { reward: 5n, node: 1n, total: 10n * hbar }, { start: day - 2n }, '95'],
    ['grows for 365 days', { reward: 5n, node: 0n, total: 10n * hbar }, { start: day - 365n }, '75'],
    ['is that of the node staked to before, not now', { reward: 5n, node: 0n, total: 2n * hbar }, { start: 1n }, '19'],
  ])('%s', async (_, before, { start }, expected) => {
    if (before !== undefined) await stake({ id: 10n, ...before });
    await staker({ id: 10n, node: 1n, start });
    expect(await catchUp()).toEqual([day]);
    expect(await rewardOf(10n)).toBe(expected);
    expect((await stakes())[0]).toBe(`10: reward ${expected}, node 1, to me 0, total ${3n * hbar}`);
  });

  it.each([
    [
      'loses what came 365 periods ago, of the stake and the node of then',
      366n,
      { node: 2n, total: 6n * hbar },
      '1065',
    ],
    ['loses nothing where nothing was staked then', 400n, undefined, '1095'],
    ['loses nothing when the node of then had no rate', 400n, { node: 4n, total: 6n * hbar }, '1095'],
    ['never falls below 0', 400n, { node: 2n, total: 6_000n * hbar }, '0'],
    ['loses nothing before 366 days have passed', 365n, { node: 2n, total: 6n * hbar }, '1095'],
  ])('%s', async (_, days, then, expected) => {
    await published(day - 365n, { 1: 8n, 2: 5n });
    if (then !== undefined) await pastStake({ id: 10n, day: day - 366n, ...then });
    await pastStake({ id: 10n, day: day - 365n, node: 2n, total: 9n * hbar });
    await stake({ id: 10n, reward: 1_005n, node: 1n, total: 10n * hbar });
    await staker({ id: 10n, node: 1n, start: day - days });
    expect(await catchUp()).toEqual([day]);
    expect(await rewardOf(10n)).toBe(expected);
  });

  it('fits its column whatever rates a network names', async () => {
    const most = (1n << 63n) - 1n;
    await published(day, { 5: most });
    await stake({ id: 10n, node: 5n, total: most });
    await staker({ id: 10n, node: 1n });
    await catchUp();
    expect(await rewardOf(10n)).toBe(String(most));
  });

  it('keeps the row of who no longer stakes, and the earlier rows of who does', async () => {
    await stake({ id: 10n, reward: 5n, node: 1n, total: 10n * hbar });
    await stake({ id: 11n, reward: 6n, node: 1n, total: 20n * hbar });
    await staker({ id: 10n, node: 1n, start: day - 3n });
    await staker({ id: 11n });
    await catchUp();
    expect(await stakes()).toEqual([
      `10: reward 95, node 1, to me 0, total ${3n * hbar}`,
      `11: reward 6, node 1, to me 0, total ${20n * hbar}`,
      '800: reward 0, node -1, to me 0, total 0',
    ]);
    expect(await stakes('entity_stake_history')).toEqual([
      `10: reward 5, node 1, to me 0, total ${10n * hbar}`,
      '800: reward 0, node -1, to me 0, total 0',
    ]);
    const ranges = await run('select distinct end_stake_period, timestamp_range::text from entity_stake_history');
    expect(ranges).toEqual([
      { end_stake_period: String(day - 1n), timestamp_range: `[${publishedAt(day - 1n)},${publishedAt(day)})` },
    ]);
  });
});

describe('which periods are done', () => {
  it('all that are open, one after the other, and none twice', async () => {
    await staker({ id: 800n });
    await staker({ id: 10n, node: 1n, start: day });
    for (const later of [0n, 1n, 2n, 3n]) await published(day + later, { 1: 10n + later });
    await snapshot(noonOf(day), { 10: 5n * hbar });
    await transfer(noonOf(day + 2n), 10n, 2n * hbar);
    expect(await catchUp()).toEqual([day, day + 1n, day + 2n, day + 3n]);
    expect(await rewardOf(10n)).toBe(String(11n * 5n + 12n * 5n + 13n * 7n));
    expect(await stakes('entity_stake_history')).toHaveLength(6);
    expect(await catchUp()).toEqual([]);
  });

  it('the first publication of a day counts', async () => {
    await staker({ id: 800n });
    await stake({ id: 800n });
    await stake({ id: 10n, node: 1n, total: hbar });
    await staker({ id: 10n, node: 1n, start: day - 1n });
    await published(day, { 1: 10n });
    await published(day, { 1: 77n }, publishedAt(day) + 5n * second);
    await snapshot(noonOf(day), { 10: 5n * hbar });
    expect(await catchUp()).toEqual([day]);
    expect(await rewardOf(10n)).toBe('10');
  });

  it('begins after 0.0.800 was there, whichever version of it is kept', async () => {
    await published(day, { 1: 1n });
    await published(day + 1n, { 1: 1n });
    await snapshot(noonOf(day), {});
    expect(await catchUp()).toEqual([]);
    await entity('entity_history', { id: 800n, range: `[${publishedAt(day)},${publishedAt(day + 1n) + 5n})` });
    await staker({ id: 800n, range: `[${publishedAt(day + 1n) + 5n},)` });
    expect(await catchUp()).toEqual([day + 1n]);
  });

  it('passes over those without a snapshot in the 31 days before', async () => {
    await staker({ id: 800n });
    await published(day, { 1: 1n });
    expect(await catchUp()).toEqual([]);
    await snapshot(publishedAt(day) + 1n, {});
    expect(await catchUp()).toEqual([]);
    await published(day + 1n, { 1: 1n });
    expect(await catchUp()).toEqual([day + 1n]);
    await published(day + 40n, { 1: 1n });
    expect(await catchUp()).toEqual([]);
  });

  it('has all before the first snapshot too, where the ledger holds every transfer since its genesis', async () => {
    await genesisBlock(noonOf(day) - 1n);
    await transfer(noonOf(day) - 1n, 2n, 50n * hbar);
    await staker({ id: 800n });
    await staker({ id: 10n, node: 1n, start: day });
    await transfer(noonOf(day), 2n, -7n * hbar);
    await transfer(noonOf(day), 10n, 7n * hbar);
    for (const later of [0n, 1n, 2n]) await published(day + later, { 1: 10n + later });
    await snapshot(noonOf(day + 1n), { 10: 7n * hbar });
    expect(await catchUp()).toEqual([day, day + 1n, day + 2n]);
    expect(await rewardOf(10n)).toBe(String(11n * 7n + 12n * 7n));
  });

  it('has none before the first snapshot where the hbars of the beginning are not known', async () => {
    await genesisBlock(noonOf(day) - 1n);
    await transfer(noonOf(day) - 1n, 2n, -50n);
    await transfer(noonOf(day) - 1n, 3n, 50n);
    await staker({ id: 800n });
    await published(day, { 1: 1n });
    expect(await catchUp()).toEqual([]);
  });
});

describe('the work beside the import', () => {
  beforeEach(async () => {
    await staker({ id: 800n });
    await snapshot(noonOf(day), {});
  });

  it('looks only when blocks have stakes in them', async () => {
    const periods: RewardPeriod[] = [];
    const faults: unknown[] = [];
    const work = rewards(faults, periods);
    work.start();
    await work.settle();
    await published(day, { 1: 1n });
    work.afterCommit({ electorateChanged: false });
    await work.settle();
    expect(periods).toEqual([]);
    work.afterCommit({ electorateChanged: true });
    await work.settle();
    expect(periods).toEqual([{ day, timestamp: publishedAt(day), snapshot: noonOf(day) }]);
    expect(faults).toEqual([]);
  });

  it('writes nothing for a writer that was overtaken', async () => {
    await published(day, { 1: 1n });
    const faults: unknown[] = [];
    const work = new PendingRewards({
      database: test.database,
      lease: {
        check: async () => {
          throw new KagamiError('WRITER_FENCED', 'overtaken');
        },
      },
      network: { shard: 0n, realm: 0n },
      signal: new AbortController().signal,
      onFault: (fault) => faults.push(fault),
    });
    work.start();
    await work.settle();
    expect(faults).toMatchObject([{ code: 'WRITER_FENCED' }]);
    expect(await stakes()).toEqual([]);
  });

  it('ends with the import', async () => {
    await published(day, { 1: 1n });
    const work = rewards([], [], AbortSignal.abort());
    work.start();
    await work.settle();
    expect(await stakes()).toEqual([]);
  });
});
