import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { rosettaErrors } from '../rosetta-error.ts';
import { blockIdentifier, insertBalances, insertBlocks } from '../testing/ledger-rows.fixture.ts';
import { network_identifier, openRosetta, type RosettaFixture } from '../testing/rosetta.fixture.ts';

let target: TestDatabase;
let rosetta: RosettaFixture;

beforeAll(async () => {
  target = await createTestDatabase();
  rosetta = await openRosetta(target.database);
});

afterAll(async () => {
  await rosetta?.stop();
  await target?.drop();
});

const refusal = (message: string) => ({ status: 500, body: { code: 0, message, retriable: false } });

describe('/network/list', () => {
  it('names the one network, whatever network the request is for', async () => {
    const expected = { status: 200, body: { network_identifiers: [network_identifier] } };
    expect(await rosetta.ask('/network/list', { metadata: {} })).toEqual(expected);
    expect(await rosetta.ask('/network/list', { network_identifier: null })).toEqual(expected);
  });

  it('is the network of the settings, in lower case, with shard and realm where asked for', async () => {
    const other = await openRosetta(target.database, {
      settings: { network: 'MAINNET', feature: { subNetworkIdentifier: true } },
    });
    const sub_network_identifier = { network: 'shard 0 realm 0' };
    const identifier = { blockchain: 'Hedera', network: 'mainnet', sub_network_identifier };
    expect((await other.ask('/network/list')).body).toEqual({ network_identifiers: [identifier] });
    expect((await other.ask('/network/options', { network_identifier: identifier })).status).toBe(200);
    expect(
      (await other.ask('/network/options', { network_identifier: { blockchain: 'Hedera', network: 'mainnet' } })).body,
    ).toMatchObject({ code: 0 });
    await other.stop();
  });
});

describe('/network/options', () => {
  it('lists statuses, types and errors', async () => {
    const { status, body } = await rosetta.ask('/network/options');
    expect(status).toBe(200);
    const { version, allow } = body as {
      version: object;
      allow: Record<string, unknown> & { operation_statuses: { status: string; successful: boolean }[] };
    };
    expect(version).toEqual({ rosetta_version: '1.7.2', node_version: '0', middleware_version: '0.1.0' });
    expect(allow.operation_statuses).toHaveLength(297);
    expect(allow.operation_statuses.filter(({ successful }) => successful).map(({ status: name }) => name)).toEqual([
      'SUCCESS',
      'FEE_SCHEDULE_FILE_PART_UPLOADED',
      'SUCCESS_BUT_MISSING_EXPECTED_OPERATION',
    ]);
    expect(allow.operation_statuses).toContainEqual({ status: 'GENERAL_ERROR', successful: false });
    expect(allow.operation_types).toHaveLength(52);
    expect(allow.operation_types).toEqual(expect.arrayContaining(['UNKNOWN', 'FEE', 'CRYPTOTRANSFER', 'TOKENREJECT']));
    expect(allow.operation_types).not.toContain('TOKENAIRDROP');
    expect(allow.errors).toEqual(Object.values(rosettaErrors));
    expect(allow).toMatchObject({
      historical_balance_lookup: true,
      call_methods: null,
      balance_exemptions: null,
      mempool_coins: false,
    });
  });

  it('is refused for another network, in the words of the library of clients', async () => {
    const options = (identifier: unknown) => rosetta.ask('/network/options', { network_identifier: identifier });
    expect(await options(null)).toEqual(refusal('NetworkIdentifier is nil'));
    expect(await options({ network: 'demo' })).toEqual(refusal('NetworkIdentifier.Blockchain is missing'));
    expect(await options({ blockchain: 'Hedera' })).toEqual(refusal('NetworkIdentifier.Network is missing'));
    expect(await options({ blockchain: 'Hedera', network: 'mainnet' })).toEqual(
      refusal(
        'network identifier {"blockchain":"Hedera","network":"mainnet"} is not supported: ' +
          'requestNetwork is not supported',
      ),
    );
    expect(await options('demo')).toEqual(refusal('json: network_identifier must be an object'));
  });
});

describe('/network/status', () => {
  it('waits for a snapshot and a block after it, then lists blocks and nodes', async () => {
    expect(await rosetta.ask('/network/status')).toEqual({
      status: 500,
      body: { code: 110, message: 'Node is starting', retriable: true },
    });
    expect(await rosetta.interface.isReady().catch(() => false)).toBe(false);
    await insertBlocks(target.database);
    await insertBalances(target.database, { 2: 5_000n });
    await target.database.query(
      `insert into address_book (start_consensus_timestamp, file_id, node_count, file_data)
        values (5, 102, 1, ''), (7, 102, 2, ''), (3, 101, 1, '')`,
    );
    await target.database.query(
      `insert into address_book_entry (consensus_timestamp, node_id, node_account_id)
        values (5, 0, 3), (7, 0, 3), (3, 0, 4), (3, 1, 5)`,
    );
    await target.database.query(
      `insert into address_book_service_endpoint (consensus_timestamp, ip_address_v4, node_id, port)
        values (3, '10.0.0.2', 0, 50211), (3, '10.0.0.1', 0, 50212), (3, '10.0.0.1', 0, 50211), (5, '1.1.1.1', 0, 1)`,
    );
    await target.database.query(
      `insert into node (created_timestamp, node_id, account_id, timestamp_range) values (1, 1, 55, '[1,)')`,
    );
    expect(await rosetta.ask('/network/status')).toEqual({
      status: 200,
      body: {
        current_block_identifier: blockIdentifier(13),
        current_block_timestamp: 1_704_067_200_000,
        genesis_block_identifier: blockIdentifier(11),
        peers: [
          {
            peer_id: '0',
            metadata: { account_id: '0.0.4', endpoints: ['10.0.0.1:50211', '10.0.0.1:50212', '10.0.0.2:50211'] },
          },
          { peer_id: '1', metadata: { account_id: '0.0.55', endpoints: [] } },
        ],
      },
    });
    expect(await rosetta.interface.isReady()).toBe(true);
    await target.database.query(`delete from address_book where file_id = 101`);
    const { body } = await rosetta.ask('/network/status');
    expect(body).toMatchObject({ peers: [{ peer_id: '0', metadata: { account_id: '0.0.3', endpoints: [] } }] });
  });
});

describe('requests', () => {
  it('are POST of JSON within bounds, and go to paths that are there', async () => {
    const { app } = rosetta;
    const post = async (payload: string) => {
      const { statusCode, body } = await app.inject({ method: 'POST', url: '/network/list', payload });
      return { status: statusCode, body: JSON.parse(body) as object };
    };
    expect(await post('')).toEqual(refusal('EOF'));
    expect(await post('{')).toMatchObject({ status: 500, body: { code: 0, retriable: false } });
    expect(await post('[]')).toEqual(refusal('json: the request must be an object'));
    expect(await post(JSON.stringify({ metadata: 'x'.repeat(1_100_000) }))).toEqual(
      refusal('the request is too large'),
    );
    expect((await app.inject({ method: 'GET', url: '/network/list' })).statusCode).toBe(405);
    for (const path of ['/call', '/events/blocks', '/search/transactions']) {
      expect((await app.inject({ method: 'POST', url: path, payload: '{}' })).statusCode).toBe(404);
    }
  });

  it('get 111 for what this ledger has nothing for', async () => {
    for (const path of ['/account/coins', '/mempool', '/mempool/transaction', '/construction/preprocess_operations']) {
      expect(await rosetta.ask(path)).toEqual({
        status: 500,
        body: { code: 111, message: 'Not implemented', retriable: false },
      });
    }
  });

  it('that may not be at work beside others get 503', async () => {
    const busy = await openRosetta(target.database, { limits: { maxRequests: 1 } });
    const answers = await Promise.all([busy.ask('/network/status'), busy.ask('/network/status')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 503]);
    expect((await busy.ask('/network/status')).status).toBe(200);
    await busy.stop();
  });

  it('get 125 when the database fails, and 500 when we do', async () => {
    const broken = await openRosetta({
      transaction: () => target.database.query('select 1 from no_such_table') as never,
    });
    expect((await broken.ask('/network/status')).body).toMatchObject({ code: 125, retriable: true });
    await broken.stop();
    const faulty = await openRosetta({ transaction: () => Promise.reject(new TypeError('no')) });
    expect((await faulty.ask('/network/status')).body).toMatchObject({ code: 500, retriable: true });
    expect(faulty.logged).toHaveLength(1);
    await faulty.stop();
  });

  it('are measured', async () => {
    const text = await rosetta.registry.metrics();
    expect(text).toContain(
      'hiero_mirror_rosetta_request_inflight{method="POST",application="rosetta",route="/network/list"} 0',
    );
    expect(text).toContain('hiero_mirror_rosetta_errors_total{route="/mempool",code="111"} 1');
  });
});

describe('offline', () => {
  it('serves networks and construction only', async () => {
    const offline = await openRosetta(target.database, { settings: { online: false } });
    expect((await offline.ask('/network/list')).status).toBe(200);
    expect((await offline.ask('/network/options')).status).toBe(200);
    expect((await offline.ask('/network/status')).body).toEqual({
      code: 136,
      message: 'Endpoint not supported in offline mode',
      retriable: false,
    });
    for (const path of ['/block', '/account/balance', '/mempool']) {
      expect((await offline.app.inject({ method: 'POST', url: path, payload: '{}' })).statusCode).toBe(404);
    }
    expect(await offline.interface.isReady()).toBe(true);
    await offline.stop();
  });
});
