import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApplication } from '../api/http/application.ts';
import { loadSettings } from '../config/load.ts';
import type { Database } from '../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../database/testing/test-database.fixture.ts';
import { KagamiError } from '../errors/kagami-error.ts';
import { encodeEntityId } from '../ledger/entity-id.ts';
import { Extra, FeeSchedule as FeeScheduleMessage } from '../protobuf/generated/fees/fee_schedule.ts';
import { HederaFunctionality } from '../protobuf/generated/services/basic_types.ts';
import { feeRoutes } from './fee-estimate.ts';
import { account, type BodyParts, token, transactionBytes } from './testing/transaction.fixture.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
afterEach(() => test.database.query('truncate file_data, token, topic, custom_fee, entity'));

interface Asked {
  readonly query?: string;
  readonly payload?: Uint8Array;
  readonly contentType?: string;
  readonly shard?: bigint;
  readonly realm?: bigint;
  readonly db?: Database;
}

const transfer: BodyParts = { data: { $case: 'cryptoTransfer', cryptoTransfer: {} } };

const ask = async ({
  query = '',
  payload = transactionBytes(transfer),
  contentType = 'application/protobuf',
  shard = 0n,
  realm = 0n,
  db = test.database,
}: Asked = {}) => {
  const { hiero } = loadSettings({ cwd: '/', env: {}, readFile: () => undefined }).settings;
  const { fastify } = createApplication({
    routes: feeRoutes,
    db,
    settings: hiero.mirror.rest,
    javaSettings: hiero.mirror.restJava,
    shard,
    realm,
    clock: () => 0n,
    log: { error: () => undefined, debug: () => undefined },
  });
  try {
    const answer = await fastify.inject({
      method: 'POST',
      url: `/api/v1/network/fees${query}`,
      headers: { 'content-type': contentType },
      payload: Buffer.from(payload),
    });
    return { status: answer.statusCode, headers: answer.headers, json: answer.json() };
  } finally {
    await fastify.close();
  }
};

const problem = (message: string, detail?: string) => ({
  _status: { messages: [detail === undefined ? { message } : { message, detail }] },
});

const storeSchedule = (timestamp: number, bytes: Uint8Array, type = 19, shard = 0n, realm = 0n) =>
  test.database.query('insert into file_data values ($1, $2, $3, $4)', [
    Buffer.from(bytes),
    timestamp,
    encodeEntityId(shard, realm, 113n).toString(),
    type,
  ]);

const scheduleBytes = (baseFee: bigint): Uint8Array =>
  FeeScheduleMessage.encode(
    FeeScheduleMessage.fromPartial({
      node: { baseFee },
      network: { multiplier: 3 },
      extras: [{ name: Extra.ACCOUNTS, fee: 5n }],
      services: [
        {
          name: 'Crypto',
          schedule: [
            {
              name: HederaFunctionality.CryptoTransfer,
              baseFee: 1n,
              extras: [{ name: Extra.ACCOUNTS, includedCount: 2 }],
            },
          ],
        },
      ],
    }),
  ).finish();

const storeToken = async (
  num: bigint,
  type: string,
  fees: Readonly<Record<string, string>>,
  shard = 0n,
  realm = 0n,
) => {
  const id = encodeEntityId(shard, realm, num).toString();
  await test.database.query(
    `insert into token (token_id, type, created_timestamp, decimals, initial_supply, name, symbol, treasury_account_id,
      timestamp_range, freeze_status, kyc_status) values ($1, $2, 1, 0, 0, 'a', 'A', 2, '[1,)', 0, 0)`,
    [id, type],
  );
  await storeFees(id, fees);
};

const storeFees = async (id: string, fees: Readonly<Record<string, string>>) => {
  const { fixed = null, fractional = null, royalty = null } = fees;
  await test.database.query(`insert into custom_fee values ($1, $2, $3, '[1,)', $4)`, [fixed, fractional, royalty, id]);
};

const tokenTransfer = (num: bigint): Uint8Array =>
  transactionBytes({
    data: {
      $case: 'cryptoTransfer',
      cryptoTransfer: {
        tokenTransfers: [
          {
            token: token(num),
            transfers: [
              { accountID: account(1n), amount: -1n },
              { accountID: account(2n), amount: 1n },
            ],
          },
        ],
      },
    },
  });

const message = (topicNum: bigint): Uint8Array =>
  transactionBytes({
    data: {
      $case: 'consensusSubmitMessage',
      consensusSubmitMessage: { topicID: { topicNum }, message: new Uint8Array(5) },
    },
  });

describe('the request', () => {
  it('is answered with the fees', async () => {
    const { status, headers, json } = await ask();
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=60',
      'content-type': 'application/json;charset=UTF-8',
      'access-control-allow-origin': '*',
    });
    expect(json).toEqual({
      high_volume_multiplier: 1,
      network: { multiplier: 9, subtotal: 900_000 },
      node: { base: 100_000, extras: [] },
      service: { base: 0, extras: [] },
      total: 1_000_000,
    });
  });

  it.each(['application/x-protobuf', 'Application/Protobuf', 'application/protobuf; charset=utf-8'])(
    'may be of type %s',
    async (contentType) => expect((await ask({ contentType })).status).toBe(200),
  );

  it('may not be of another type', async () => {
    const { status, headers, json } = await ask({ contentType: 'application/json' });
    expect(status).toBe(415);
    expect(json).toEqual(problem('Unsupported Media Type', "Content-Type 'application/json' is not supported"));
    expect(headers['cache-control']).toBeUndefined();
  });

  it('may not be longer than any transaction', async () => {
    const { status, json } = await ask({ payload: new Uint8Array(256 * 1024 + 1) });
    expect(status).toBe(413);
    expect(json).toEqual(problem('Payload Too Large'));
  });

  it.each([
    ['an empty body', { payload: new Uint8Array(0) }, 'Failed to read request'],
    ['bytes that are no transaction', { payload: Uint8Array.of(255) }, 'Unable to parse transaction'],
    ['a mode that there is not', { query: '?mode=worst' }, "Failed to convert 'mode'"],
    [
      'a throttle that is no number',
      { query: '?high_volume_throttle=1.5' },
      "Failed to convert 'high_volume_throttle'",
    ],
    [
      'a throttle beyond 32 bits',
      { query: '?high_volume_throttle=2147483648' },
      "Failed to convert 'high_volume_throttle'",
    ],
    [
      'a throttle too low',
      { query: '?high_volume_throttle=-1' },
      'highVolumeThrottle must be greater than or equal to 0',
    ],
    [
      'a throttle too high',
      { query: '?high_volume_throttle=10001' },
      'highVolumeThrottle must be less than or equal to 10000',
    ],
  ] as const)('is refused for %s', async (_name, asked, detail) => {
    const { status, headers, json } = await ask(asked);
    expect(status).toBe(400);
    expect(json).toEqual(problem('Bad Request', detail));
    expect(headers['cache-control']).toBe('public, max-age=60');
  });

  it('takes parameters in any letter case, blank ones and unknown ones', async () => {
    const payload = transactionBytes({ highVolume: true, data: { $case: 'tokenMint', tokenMint: {} } });
    const multiplierFor = async (query: string) => (await ask({ payload, query })).json.high_volume_multiplier;
    expect(await multiplierFor('?MODE=sTaTe&High_Volume_Throttle=10000&x=1')).toBe(150);
    expect(await multiplierFor('?mode=STATE&high_volume_throttle=+60')).toBe(8);
    expect(await multiplierFor('?mode=&high_volume_throttle=')).toBe(1);
    expect(await multiplierFor('?mode=state&mode=intrinsic')).toBe(4);
  });
});

describe('the schedule', () => {
  const costs = async (asked: Asked = {}) => (await ask(asked)).json.total;

  it('is the newest of the network, once there is one', async () => {
    expect(await costs()).toBe(1_000_000);
    await storeSchedule(10, scheduleBytes(100n), 17);
    expect(await costs()).toBe(401);
    await storeSchedule(20, scheduleBytes(200n));
    expect(await costs()).toBe(801);
    expect((await ask({ payload: message(1n) })).json).toEqual(problem('Bad Request', 'Unknown transaction type'));
  });

  it('stays the one before while the next is uploaded or invalid', async () => {
    const next = scheduleBytes(200n);
    await storeSchedule(10, scheduleBytes(100n));
    await storeSchedule(20, next.subarray(0, 12));
    expect(await costs()).toBe(401);
    await storeSchedule(21, next.subarray(12), 16);
    expect(await costs()).toBe(801);
    await storeSchedule(30, new Uint8Array(0));
    expect(await costs()).toBe(801);
    await storeSchedule(31, FeeScheduleMessage.encode(FeeScheduleMessage.fromPartial({ node: {} })).finish());
    expect(await costs()).toBe(801);
  });

  it('is that of the own shard and realm', async () => {
    await storeSchedule(10, scheduleBytes(100n), 17, 1n, 2n);
    expect(await costs()).toBe(1_000_000);
    expect(await costs({ shard: 1n, realm: 2n })).toBe(401);
  });
});

describe('state mode', () => {
  const serviceOf = async (payload: Uint8Array, asked: Asked = {}) => {
    const { json } = await ask({ payload, query: '?mode=STATE', ...asked });
    expect(json.notes).toBeUndefined();
    return json.service.extras.map(({ name }: { name: string }) => name);
  };
  const plain = ['TOKEN_TRANSFER_BASE'];
  const withFees = ['TOKEN_TRANSFER_BASE_CUSTOM_FEES'];

  it('knows the custom fees of tokens', async () => {
    await storeToken(10n, 'FUNGIBLE_COMMON', {});
    await storeToken(11n, 'FUNGIBLE_COMMON', { fixed: '[]', fractional: '[{"amount":1}]', royalty: 'null' });
    await storeToken(12n, 'FUNGIBLE_COMMON', { fixed: '[]', fractional: '[]', royalty: '[]' });
    await storeToken(13n, 'FUNGIBLE_COMMON', { royalty: '[{"amount":1}]' });
    await storeToken(14n, 'NON_FUNGIBLE_UNIQUE', { fixed: '[{"amount":1}]' });
    await storeFees('15', { fixed: '[{"amount":1}]' });
    expect(await serviceOf(tokenTransfer(10n))).toEqual(plain);
    expect(await serviceOf(tokenTransfer(11n))).toEqual(withFees);
    expect(await serviceOf(tokenTransfer(12n))).toEqual(plain);
    expect(await serviceOf(tokenTransfer(13n))).toEqual(withFees);
    // Fungible entries of an NFT do not count.
    expect(await serviceOf(tokenTransfer(14n))).toEqual([]);
    // Fees of something that is no token do not count.
    expect(await serviceOf(tokenTransfer(15n))).toEqual(plain);
    expect(await serviceOf(tokenTransfer(-1n))).toEqual(plain);
    expect(await serviceOf(tokenTransfer(1n << 40n))).toEqual(plain);
  });

  it('knows tokens by their num in the own shard and realm', async () => {
    await storeToken(10n, 'FUNGIBLE_COMMON', { fixed: '[{"amount":1}]' }, 1n, 2n);
    expect(await serviceOf(tokenTransfer(10n))).toEqual(plain);
    expect(await serviceOf(tokenTransfer(10n), { shard: 1n, realm: 2n })).toEqual(withFees);
  });

  it('knows the fixed fees of topics', async () => {
    await test.database.query(
      `insert into topic (id, created_timestamp, timestamp_range) values (20, 1, '[1,)'), (21, 1, '[1,)')`,
    );
    await storeFees('20', { fixed: '[{"amount":1}]' });
    await storeFees('21', { fixed: '[]', royalty: '[{"amount":1}]' });
    await storeFees('22', { fixed: '[{"amount":1}]' });
    expect(await serviceOf(message(20n))).toEqual(['CONSENSUS_SUBMIT_MESSAGE_WITH_CUSTOM_FEE']);
    expect(await serviceOf(message(21n))).toEqual([]);
    expect(await serviceOf(message(22n))).toEqual([]);
    expect(await serviceOf(message(23n))).toEqual([]);
  });

  it('falls back to intrinsic mode, with a note, for state that is not there', async () => {
    await test.database.query(
      `insert into entity (id, num, realm, shard, type, timestamp_range) values
        (30, 30, 0, 0, 'TOKEN', '[1,)'), (31, 31, 0, 0, 'TOPIC', '[1,)')`,
    );
    const transferred = await ask({ payload: tokenTransfer(30n), query: '?mode=state' });
    expect(transferred.json.notes).toEqual([
      'Intrinsic mode was used in place of state mode: the state of token 0.0.30 is not available.',
    ]);
    expect([transferred.status, transferred.json.total]).toEqual([200, 2_000_000]);
    const sent = await ask({ payload: message(31n), query: '?mode=state' });
    expect(sent.json.notes).toEqual([
      'Intrinsic mode was used in place of state mode: the state of topic 0.0.31 is not available.',
    ]);
    // Nothing is asked of the ledger, so nothing is missing.
    expect((await ask({ payload: tokenTransfer(30n) })).json.notes).toBeUndefined();
    expect((await ask({ payload: tokenTransfer(31n), query: '?mode=state' })).json.notes).toBeUndefined();
  });

  it('falls back when the database does not tell in time, and only then', async () => {
    const failing = (code: 'DATABASE_TIMEOUT' | 'DATABASE_ACCESS_DENIED'): Database => ({
      ...test.database,
      query: (sql, ...rest) =>
        sql.includes('custom_fee')
          ? Promise.reject(new KagamiError(code, 'failed'))
          : test.database.query(sql, ...rest),
    });
    const asked = { payload: tokenTransfer(5n), query: '?mode=state' };
    const { status, json } = await ask({ ...asked, db: failing('DATABASE_TIMEOUT') });
    expect([status, json.total, json.notes]).toEqual([
      200,
      2_000_000,
      ['Intrinsic mode was used in place of state mode: the state of its token cannot be read at the moment.'],
    ]);
    expect((await ask({ ...asked, db: failing('DATABASE_ACCESS_DENIED') })).status).toBe(503);
  });
});
