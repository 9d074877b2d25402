import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { askNodes, connect, fileId, type GrpcFixture, openGrpc } from '../testing/grpc-server.fixture.ts';

let test: TestDatabase;
let fixture: GrpcFixture;

/** Book 101 at 5 with one node; book 102 at 10, and a newer one at 20 with twelve. */
beforeAll(async () => {
  test = await createTestDatabase();
  const { database } = test;
  await database.query(`insert into address_book (start_consensus_timestamp, file_id, file_data)
    values (5, 101, ''), (10, 102, ''), (20, 102, '')`);
  await database.query(`insert into address_book_entry (consensus_timestamp, node_id, node_account_id, description, memo,
      public_key, node_cert_hash, stake)
    select 20, n, n + 3, 'node ' || n, '0.0.' || n + 3, 'key ' || n, convert_to('hash ' || n, 'UTF8'), 7
    from generate_series(0, 11) n where n <> 1`);
  await database.query(`insert into address_book_entry (consensus_timestamp, node_id, node_account_id)
    values (5, 0, 3), (20, 1, 4)`);
  await database.query(`insert into address_book_service_endpoint (consensus_timestamp, node_id, ip_address_v4, port,
      domain_name)
    values (20, 0, '10.0.0.1', 50211, ''), (20, 0, '', 50212, 'node.example'), (20, 2, '', 0, '')`);
  await database.query(`insert into node (node_id, account_id, created_timestamp, timestamp_range, deleted)
    values (2, 77, 1, '[1,)', false), (3, null, 1, '[1,)', true)`);
  await database.query(`insert into node_stake (consensus_timestamp, epoch_day, max_stake, min_stake, node_id,
      reward_rate, stake, stake_not_rewarded, stake_rewarded, staking_period)
    values (8, 1, 1, 1, 0, 1, 111, 1, 1, 1), (9, 1, 1, 1, 0, 1, 222, 1, 1, 1)`);
});

beforeEach(async () => {
  fixture = await openGrpc(test.database);
});

afterEach(() => fixture.stop());

afterAll(() => test.drop());

it.each([
  ['no file', {}, 3, 'getNodes.addressBookFilter.fileId: must not be null'],
  [
    'a negative limit',
    { fileId: fileId(102n), limit: -1 },
    3,
    'getNodes.addressBookFilter.limit: must be greater than or equal to 0',
  ],
  ['a negative number', { fileId: fileId(-1n) }, 3, 'Invalid entity ID: 0.0.-1'],
  ['another file', { fileId: fileId(112n) }, 3, 'Not a valid address book file'],
  ['a file of another realm', { fileId: { ...fileId(102n), realmNum: 1n } }, 3, 'Not a valid address book file'],
])('refuses %s', async (_name, query, code, details) => {
  expect(await askNodes(connect(fixture.address), query)).toEqual({ messages: [], code, details });
});

it('knows no book before one was imported', async () => {
  const empty = await createTestDatabase();
  const served = await openGrpc(empty.database);
  const outcome = await askNodes(connect(served.address), { fileId: fileId(101n) });
  expect([outcome.code, outcome.details]).toEqual([5, '0.0.101 does not exist']);
  await served.stop();
  await empty.drop();
});

it('gives all nodes of the newest book by their ids, over pages', async () => {
  const { messages, code } = await askNodes(connect(fixture.address), { fileId: fileId(102n) });
  expect(code).toBe(0);
  expect(messages.map(({ nodeId }) => Number(nodeId))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(messages[0]).toMatchObject({
    description: 'node 0',
    RSAPubKey: 'key 0',
    memo: Buffer.from('0.0.3'),
    nodeAccountId: { account: { $case: 'accountNum', accountNum: 3n } },
    nodeCertHash: Buffer.from('hash 0'),
    stake: 222n,
    serviceEndpoint: [
      { ipAddressV4: new Uint8Array(0), port: 50212, domainName: 'node.example' },
      { ipAddressV4: Buffer.from([10, 0, 0, 1]), port: 50211, domainName: '' },
    ],
  });
  expect(messages[1]).toMatchObject({
    description: '',
    RSAPubKey: '',
    memo: new Uint8Array(0),
    nodeCertHash: new Uint8Array(0),
    stake: 0n,
    serviceEndpoint: [],
  });
  expect(messages[2]).toMatchObject({
    nodeAccountId: { account: { $case: 'accountNum', accountNum: 77n } },
    serviceEndpoint: [{ ipAddressV4: new Uint8Array(0), port: 0, domainName: '' }],
  });
  expect(messages[3]).toMatchObject({ nodeAccountId: { account: { $case: 'accountNum', accountNum: 6n } } });
});

it.each([
  [102n, 1, [0]],
  [102n, 11, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
  [101n, 0, [0]],
])('gives of book %i at most %i', async (file, limit, expected) => {
  const { messages } = await askNodes(connect(fixture.address), { fileId: fileId(file), limit });
  expect(messages.map(({ nodeId }) => Number(nodeId))).toEqual(expected);
});
