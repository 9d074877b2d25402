/**
 * Balances of the past and pending rewards, from a stream to the answers: a ledger that grows over the end of a month,
 * imported as it grows. What is answered is compared with sums of the transfers up to that time.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { importFolder } from '../../importer/pipeline/testing/import-run.fixture.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { accountRoutes } from '../../rest/accounts/accounts.ts';
import { balanceRoutes } from '../../rest/balances/balances.ts';
import { followLinks, restRequests } from '../../rest/testing/rest-request.fixture.ts';
import { EARLY_DAYS } from '../../simulator/opening/early-days.ts';
import { simulateLedger } from '../../simulator/simulate-ledger.ts';
import { numOf } from './testing/rest-walk.fixture.ts';

const nanosPerDay = 86_400_000_000_000n;
const start = BigInt(Date.parse('2026-01-30T18:00:00Z')) * 1_000_000n;
const february = BigInt(Date.parse('2026-02-01T00:00:00Z')) * 1_000_000n;
/** Half a day each; the last one ends in the morning of February 2. */
const rounds = 5;
const blocksPerRound = 24;
const rewardPerHbar = 2_000n;
const tinybarsPerHbar = 100_000_000n;

let target: TestDatabase;
let root: string;
let snapshots: readonly bigint[];
let get: ReturnType<typeof restRequests>;

const rows = <R extends Record<string, string>>(sql: string, values: readonly unknown[] = []): Promise<R[]> =>
  target.database.query<R>(sql, values);

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'kagami-past-balances-'));
  target = await createTestDatabase({ max: 6 });
  const folder = join(root, 'ledger');
  for (let round = 0; round < rounds; round++) {
    const ledger = await simulateLedger({
      out: folder,
      seed: 'past balances',
      start,
      blocks: blocksPerRound,
      blockIntervalMs: 1_800_000,
      tps: 0.005,
      nodes: 1,
      users: 120,
    });
    // The end of an import is the end of the snapshots and rewards that it called for.
    await importFolder(target, { folder, addressBook: await readFile(ledger.addressBookFile) });
  }
  snapshots = (
    await rows<{ consensus_timestamp: string }>(
      'select consensus_timestamp from account_balance_file order by consensus_timestamp',
    )
  ).map(({ consensus_timestamp }) => BigInt(consensus_timestamp));
  get = restRequests([...balanceRoutes, ...accountRoutes], target.database, { now: start + 5n * nanosPerDay });
}, 120_000);
afterAll(async () => {
  await target?.drop();
  await rm(root, { recursive: true, force: true });
});

/** Tinybars by account, of the transfers up to a time. */
const transferred = async (until: bigint): Promise<Map<bigint, bigint>> =>
  new Map(
    (
      await rows<{ id: string; sum: string }>(
        'select entity_id as id, sum(amount) from crypto_transfer where consensus_timestamp <= $1 group by 1',
        [until],
      )
    ).map(({ id, sum }) => [BigInt(id), BigInt(sum)]),
  );

/** Who staked to another account at a time, by that account: their stake counts for its rewards (HIP-406). */
const stakedTo = async (at: bigint): Promise<ReadonlyMap<string, readonly bigint[]>> => {
  const found = await rows<{ id: string; account: string }>(
    `select id, staked_account_id as account from (
       select id, staked_account_id, deleted, timestamp_range from entity
       union all select id, staked_account_id, deleted, timestamp_range from entity_history
     ) versions
     where timestamp_range @> $1::bigint and staked_account_id > 0 and deleted is not true`,
    [at],
  );
  const stakers = new Map<string, bigint[]>();
  for (const { id, account } of found) stakers.set(account, [...(stakers.get(account) ?? []), BigInt(id)]);
  return stakers;
};

/** Amounts above zero by `account/token`, fungible and not, of the transfers up to a time. */
const transferredTokens = async (until: bigint): Promise<Map<string, bigint>> =>
  new Map(
    (
      await rows<{ key: string; sum: string }>(
        `with moved as (
           select account_id, token_id, amount from token_transfer where consensus_timestamp <= $1
           union all
           select unnest(array[(n->>'receiver_account_id')::bigint, (n->>'sender_account_id')::bigint]),
             (n->>'token_id')::bigint, unnest(array[1, -1])
           from transaction, jsonb_array_elements(nft_transfer) n where consensus_timestamp <= $1
         )
         select account_id || '/' || token_id as key, sum(amount) from moved where account_id is not null
         group by 1 having sum(amount) > 0`,
        [until],
      )
    ).map(({ key, sum }) => [key, BigInt(sum)]),
  );

interface Shown {
  readonly account: string;
  readonly balance: number;
  readonly tokens: readonly { readonly token_id: string; readonly balance: number }[];
}

const shownAt = async (time: bigint): Promise<readonly Shown[]> => {
  const pages = await followLinks(get, `/api/v1/balances?timestamp=${formatTimestamp(time)}&order=asc`);
  return pages.flatMap(({ json }) => json.balances);
};

describe('balances of the past', () => {
  it('are kept at the end of each round at least, all of them once a month', async () => {
    const blocks = await rows<{ consensus_end: string }>(
      'select consensus_end from record_file order by consensus_end',
    );
    // Genesis, founding and the first days come before the first round.
    const ends = Array.from({ length: rounds }, (_, round) =>
      BigInt(blocks[1 + EARLY_DAYS + (round + 1) * blocksPerRound]?.consensus_end ?? 0),
    );
    expect(ends.at(-1)).toBe(BigInt(blocks.at(-1)?.consensus_end ?? 0));
    for (const end of ends) expect(snapshots).toContain(end);
    const counts = await rows<{ month: string; most: string; snapshots: string }>(
      `select consensus_timestamp >= $1 as month, count(distinct consensus_timestamp) as snapshots,
         count(*) filter (where consensus_timestamp = first) as first
       from (select *, min(consensus_timestamp) over (partition by consensus_timestamp >= $1) as first from account_balance) b
       group by 1 order by 1`,
      [february],
    );
    const [accounts] = await rows<{ count: string }>(
      "select count(*) from entity where type in ('ACCOUNT', 'CONTRACT')",
    );
    expect(counts).toHaveLength(2);
    for (const { snapshots: taken, first } of counts as unknown as { snapshots: string; first: string }[]) {
      expect(Number(taken)).toBeGreaterThanOrEqual(2);
      expect(Number(first)).toBeGreaterThan(40);
      expect(Number(first)).toBeLessThanOrEqual(Number(accounts?.count));
    }
  });

  it('are what the transfers up to then come to', async () => {
    for (const timestamp of snapshots) {
      const balances = await transferred(timestamp);
      for (const time of [timestamp, timestamp + 1n]) {
        const shown = await shownAt(time);
        const found = new Map(shown.map(({ account, balance }) => [numOf(account), BigInt(balance)]));
        for (const [id, balance] of balances) {
          // JSON numbers of the treasury are rounded by the reader, and an account with nothing may be gone.
          if (balance < 2n ** 53n && balance > 0n) expect(found.get(id), `${id} at ${timestamp}`).toBe(balance);
          else if (balance === 0n) expect(found.get(id) ?? 0n).toBe(0n);
        }
        expect([...found.keys()].filter((id) => !balances.has(id) && found.get(id) !== 0n)).toEqual([]);
      }
    }
  });

  it('have the tokens that were held then', async () => {
    let held = 0;
    for (const timestamp of snapshots) {
      const expected = await transferredTokens(timestamp);
      const found = new Map(
        (await shownAt(timestamp)).flatMap(({ account, tokens }) =>
          tokens
            .filter(({ balance }) => balance > 0)
            .map(({ token_id, balance }) => [`${numOf(account)}/${numOf(token_id)}`, BigInt(balance)] as const),
        ),
      );
      expect(new Map([...found].toSorted())).toEqual(new Map([...expected].toSorted()));
      held += expected.size;
    }
    expect(held).toBeGreaterThan(20);
  });
});

describe('pending rewards', () => {
  it('are what stakes earned in the periods that ended since they were last changed or rewarded', async () => {
    const [newest] = await rows<{ day: string }>('select max(epoch_day) as day from node_stake');
    const periods = await rows<{ day: string; timestamp: string }>(
      `select end_stake_period as day, lower(timestamp_range) as timestamp from (
         select * from entity_stake union all select * from entity_stake_history
       ) stakes where id = 800 order by 2`,
    );
    expect(periods.at(-1)?.day).toBe(newest?.day);
    expect(periods.length).toBeGreaterThan(1);
    const stakers = await rows<{ id: string; since: string }>(
      `select id, stake_period_start as since from entity
       where type = 'ACCOUNT' and not deleted and staked_node_id >= 0 and not decline_reward`,
    );
    const due = new Map(stakers.map(({ id }) => [id, 0n]));
    for (const [index, { day }] of periods.entries()) {
      const before = periods[index - 1];
      if (before === undefined) continue;
      const staked = await transferred(BigInt(before.timestamp));
      const others = await stakedTo(BigInt(before.timestamp));
      for (const { id, since } of stakers) {
        if (BigInt(day) <= BigInt(since)) continue;
        const holders = [BigInt(id), ...(others.get(id) ?? [])];
        const wholeHbars = holders.reduce((sum, holder) => sum + (staked.get(holder) ?? 0n), 0n) / tinybarsPerHbar;
        due.set(id, (due.get(id) ?? 0n) + wholeHbars * rewardPerHbar);
      }
    }
    for (const [id, reward] of due) {
      const { json } = await get(`/api/v1/accounts/${id}?transactions=false`);
      expect(json.pending_reward, id).toBe(Number(reward));
    }
    const rewards = [...due.values()];
    expect(rewards.filter((reward) => reward > 0n).length).toBeGreaterThan(5);
    expect(rewards.filter((reward) => reward === 0n).length).toBeGreaterThan(5);
  });
});
