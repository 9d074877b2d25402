import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { type FixtureAnswer, followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { withSlowTables } from '../testing/slow-tables.fixture.ts';
import { contractRoutes } from './contracts.ts';

const mostRows = 300;

let test: TestDatabase;
let slow: Database;
let get: ReturnType<typeof restRequests>;

/**
 * 600 slots of contract 5001, each changed in a second of its own after the first thousand; slots 300 and 599 changed once
 * before, when another contract's did each second.
 */
beforeAll(async () => {
  test = await createTestDatabase();
  await test.database.query(
    `insert into contract_state_change (consensus_timestamp, contract_id, payer_account_id, slot, value_read, value_written)
      select (1000 + n) * 1000000000::bigint, 5001, 2, decode(lpad(to_hex(n), 4, '0'), 'hex'), '\\x01'::bytea, '\\x02'::bytea
        from generate_series(256, 855) n
      union all select n * 1000000000::bigint, 5003, 2, '\\x01'::bytea, '\\x01'::bytea, '\\x02'::bytea from generate_series(1, 900) n
      union all select n * 1000000000::bigint, 5001, 2, decode(lpad(to_hex(n), 4, '0'), 'hex'), '\\x01'::bytea, '\\x03'::bytea
        from unnest(array[300, 599]) n`,
  );
  await test.database.query('analyze contract_state_change');
  slow = await withSlowTables(test, mostRows, ['contract_state_change']);
  get = restRequests(contractRoutes, slow);
});

afterAll(async () => {
  await slow.close();
  await test.drop();
});

afterEach(() => {
  vi.restoreAllMocks();
});

const slotsOf = ({ json }: FixtureAnswer): number[] => json.state.map(({ slot }: { slot: string }) => Number(slot));

const searches: readonly (readonly [query: string, found: readonly number[]])[] = [
  ['timestamp=lte:950', [300, 599]],
  ['timestamp=lte:950&order=desc', [599, 300]],
  ['timestamp=gte:1&timestamp=lte:950&slot=gt:0x12c', [599]],
];

describe('slots with a change within a time', () => {
  it.each(searches)('are found without running into the timeout: %s', async (query, found) => {
    const answer = await get(`/api/v1/contracts/0.0.5001/state?${query}`);
    expect([answer.status, slotsOf(answer), answer.link]).toEqual([200, found, null]);
  });

  it.each(searches)('are found by following links where one request has not enough time: %s', async (query, found) => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 400;
      return now;
    });
    const pages = await followLinks(get, `/api/v1/contracts/0.0.5001/state?${query}`);
    expect(pages.flatMap(slotsOf)).toEqual(found);
    expect(pages.length).toBeGreaterThan(1);
  });

  it.each([
    ['timestamp=gte:1850', [850, 851, 852, 853, 854, 855]],
    ['timestamp=lte:1258&timestamp=gte:1256&order=desc', [258, 257, 256]],
  ])('are found by the time where that holds few changes: %s', async (query, found) => {
    const answer = await get(`/api/v1/contracts/0.0.5001/state?${query}`);
    expect([slotsOf(answer), answer.link]).toEqual([found, null]);
  });
});
