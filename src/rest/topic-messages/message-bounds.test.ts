import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { restRequests } from '../testing/rest-request.fixture.ts';
import { withSlowTables } from '../testing/slow-tables.fixture.ts';
import { topicMessageRoutes } from './topic-messages.ts';

let test: TestDatabase;
let slow: Database;
let get: ReturnType<typeof restRequests>;

/** 3,000 messages of topic 7, the nth at second 10 n. */
beforeAll(async () => {
  test = await createTestDatabase();
  await test.database.query(
    `insert into topic_message (consensus_timestamp, topic_id, message, running_hash, running_hash_version,
        sequence_number, payer_account_id, valid_start_timestamp)
      select n * 10000000000::bigint, 7, '\\x01', '\\x02', 3, n, 8, n from generate_series(1, 3000) n`,
  );
  await test.database.query('analyze topic_message');
  slow = await withSlowTables(test, 100, ['topic_message']);
  get = restRequests(topicMessageRoutes, slow);
});

afterAll(async () => {
  await slow.close();
  await test.drop();
});

it.each<readonly [query: string, found: readonly number[]]>([
  ['sequencenumber=gt:5&timestamp=lt:80', [6, 7]],
  ['sequencenumber=gt:5&timestamp=lt:80&order=desc', [7, 6]],
  ['timestamp=gte:1&sequencenumber=gte:2999', [2999, 3000]],
  ['timestamp=lt:29995&sequencenumber=lte:2&order=desc', [2, 1]],
  ['timestamp=gt:14990&timestamp=lt:90000&sequencenumber=gt:3&sequencenumber=lte:1501', [1500, 1501]],
  ['timestamp=gt:14990&timestamp=lt:15020&sequencenumber=gt:3&order=desc', [1501, 1500]],
  ['sequencenumber=1500&timestamp=gte:1', [1500]],
  ['sequencenumber=gt:3000&timestamp=gte:1', []],
  ['sequencenumber=gte:1&timestamp=lt:10', []],
  ['sequencenumber=ne:6&sequencenumber=gt:5&timestamp=lt:80', [7]],
])('a page walks over no more messages than it needs: %s', async (query, found) => {
  const { json } = await get(`/api/v1/topics/0.0.7/messages?${query}`);
  expect(json.messages.map(({ sequence_number }: { sequence_number: number }) => sequence_number)).toEqual(found);
});
