import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { type FixtureAnswer, followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { type FixtureRow, insertRows } from '../testing/rows.fixture.ts';
import { scheduleRoutes } from './schedules.ts';

const created = 1_234_567_890_000_000_000n;
const second = 1_000_000_000n;
const halfHour = 1800n * second;

let test: TestDatabase;
let get: (url: string) => Promise<FixtureAnswer>;

const schedule = (id: number | bigint, rest: FixtureRow = {}): FixtureRow => ({
  consensus_timestamp: created,
  creator_account_id: 1024,
  payer_account_id: 1025,
  schedule_id: id,
  transaction_body: '\\x010203',
  wait_for_expiry: false,
  ...rest,
});

const entity = (id: number, rest: FixtureRow = {}): FixtureRow => ({
  id,
  num: id,
  realm: 0,
  shard: 0,
  type: 'SCHEDULE',
  timestamp_range: '[1,)',
  deleted: false,
  ...rest,
});

const signature = (prefix: string, type: number, at: bigint, length: number): FixtureRow => ({
  consensus_timestamp: at,
  public_key_prefix: prefix,
  entity_id: 2000,
  signature: `\\x${'ab'.repeat(length)}`,
  type,
});

beforeAll(async () => {
  test = await createTestDatabase();
  get = restRequests(scheduleRoutes, test.database, { now: created + second });
  await insertRows(test.database, 'entity', [
    entity(2000, { key: '\\x3200', memo: 'a "memo"' }),
    entity(2001, { key: '\\x010101', memo: '' }),
    entity(2002, { deleted: true }),
  ]);
  await insertRows(test.database, 'schedule', [
    schedule(2000, { expiration_time: created + 60n * second, wait_for_expiry: true }),
    schedule(2001, { executed_timestamp: created + 5n, creator_account_id: 3333 }),
    schedule(2002),
    schedule(2003),
    schedule(encodeEntityId(1n, 2n, 2000n)),
  ]);
  await insertRows(test.database, 'transaction_signature', [
    signature('\\x03', 6, created + 2n, 64),
    signature('\\x02', 3, created + 2n, 64),
    signature('\\x01', 2, created + 1n, 0),
    signature('\\x04', 99, created + 3n, 1),
  ]);
});
afterAll(() => test?.drop());

const path = '/api/v1/schedules';
const ids = (pages: readonly FixtureAnswer[]): string[] =>
  pages.flatMap(({ json }) => json.schedules.map(({ schedule_id }: { schedule_id: string }) => schedule_id));

describe.each([path, '/api/v1/schedule'])('GET %s/{id}', (parent) => {
  it('gives the schedule with its signatures in order', async () => {
    expect((await get(`${parent}/0.0.2000`)).json).toEqual({
      admin_key: null,
      consensus_timestamp: '1234567890.000000000',
      creator_account_id: '0.0.1024',
      deleted: false,
      executed_timestamp: null,
      expiration_time: '1234567950.000000000',
      memo: 'a "memo"',
      payer_account_id: '0.0.1025',
      schedule_id: '0.0.2000',
      signatures: [
        { consensus_timestamp: '1234567890.000000001', public_key_prefix: 'AQ==', signature: '', type: 'CONTRACT' },
        {
          consensus_timestamp: '1234567890.000000002',
          public_key_prefix: 'Ag==',
          signature: `${'q6ur'.repeat(21)}qw==`,
          type: 'ED25519',
        },
        {
          consensus_timestamp: '1234567890.000000002',
          public_key_prefix: 'Aw==',
          signature: `${'q6ur'.repeat(21)}qw==`,
          type: 'ECDSA_SECP256K1',
        },
        { consensus_timestamp: '1234567890.000000003', public_key_prefix: 'BA==', signature: 'qw==', type: 'UNKNOWN' },
      ],
      transaction_body: 'AQID',
      wait_for_expiry: true,
    });
  });

  it('knows nothing of an entity that is missing', async () => {
    expect((await get(`${parent}/2003`)).json).toMatchObject({ admin_key: null, deleted: null, memo: null });
  });

  it.each([
    ['executed', '2001', 0n, 3600],
    ['deleted', '2002', 0n, 3600],
    ['waiting', '2000', 59n * second, undefined],
    ['just expired, so that its execution may still arrive', '2000', 70n * second, undefined],
    ['expired', '2000', 70n * second + 1n, 3600],
    ['waiting without an expiry of its own', '2003', halfHour, undefined],
    ['expired without an expiry of its own', '2003', halfHour + 10n * second + 1n, 3600],
  ])('may be kept for an hour when nothing more happens to it: %s', async (_state, id, age, seconds) => {
    const ask = restRequests(scheduleRoutes, test.database, { now: created + age });
    expect((await ask(`${parent}/${id}`)).cacheSeconds).toBe(seconds);
  });

  it.each([
    ['x.y.z', 400, 'Invalid parameter: scheduleid'],
    ['0.0.-1', 400, 'Invalid parameter: scheduleid'],
    ['-1', 400, 'Invalid parameter: scheduleid'],
    ['274877906944', 400, 'Invalid parameter: scheduleid'],
    [`0x${'0'.repeat(37)}7d0`, 400, 'Invalid parameter: scheduleid'],
    ['2000?limit=1', 400, 'Unknown query parameter: limit'],
    ['2004', 404, 'Not found'],
  ])('refuses %s', async (id, status, message) => {
    expect(await get(`${parent}/${id}`)).toMatchObject({ status, messages: [message] });
  });

  it('assumes the own shard and realm', async () => {
    const ask = restRequests(scheduleRoutes, test.database, { shard: 1n, realm: 2n });
    expect((await ask(`${parent}/2000`)).json).toMatchObject({ schedule_id: '1.2.2000', signatures: [] });
  });
});

describe('GET /api/v1/schedules', () => {
  it.each([
    ['', ['0.0.2000', '0.0.2001', '0.0.2002', '0.0.2003', '1.2.2000']],
    ['order=desc&schedule.id=lt:2003', ['0.0.2002', '0.0.2001', '0.0.2000']],
    ['account.id=3333', ['0.0.2001']],
    ['account.id=gt:0.0.1024', ['0.0.2001']],
    ['account.id=ne:3333&schedule.id=gte:2001&schedule.id=lte:2002', ['0.0.2002']],
    ['account.id=1024&account.id=3333', []],
    ['schedule.id=2001', ['0.0.2001']],
    [`schedule.id=0x${'0'.repeat(37)}7d1`, ['0.0.2001']],
    [`account.id=${'ab'.repeat(20)}`, []],
    ['schedule.id=gt:2003&schedule.id=lt:2000', []],
  ])('?%s', async (query, expected) => expect(ids([await get(`${path}?${query}`)])).toEqual(expected));

  it('brings the signatures of each', async () => {
    const { json } = await get(`${path}?schedule.id=lte:2001`);
    expect(json.schedules.map(({ signatures }: { signatures: unknown[] }) => signatures.length)).toEqual([4, 0]);
    expect(json.schedules[1].admin_key).toEqual({ _type: 'ProtobufEncoded', key: '010101' });
  });

  it('links through all schedules in both orders', async () => {
    const all = ['0.0.2000', '0.0.2001', '0.0.2002', '0.0.2003', '1.2.2000'];
    for (const limit of [1, 2, 5]) {
      expect(ids(await followLinks(get, `${path}?limit=${limit}`))).toEqual(all);
      expect(ids(await followLinks(get, `${path}?limit=${limit}&order=desc`))).toEqual(all.toReversed());
    }
    expect((await get(`${path}?limit=2&schedule.id=gte:2000`)).link).toBe(`${path}?limit=2&schedule.id=gt:0.0.2001`);
    expect((await get(`${path}?limit=2&schedule.id=lte:0.0.2001`)).link).toBeNull();
  });

  it('gives a user as much on one page as that user may have', async () => {
    const rest = { response: { limit: { default: 1, max: 2 } } };
    const lengthFor = async (user?: { readonly username: string; readonly limit: number }) => {
      const ask = restRequests(scheduleRoutes, test.database, { rest, ...(user === undefined ? {} : { user }) });
      return (await ask(`${path}?limit=4`)).json.schedules.length;
    };
    expect(await lengthFor()).toBe(2);
    expect(await lengthFor({ username: 'premium', limit: 3 })).toBe(3);
  });

  it('names what is wrong, unknown parameters last', async () => {
    expect(
      await get(`${path}?timestamp=1&account.id=x&schedule.id=y.z&schedule.id=${'ab'.repeat(20)}&order=d`),
    ).toMatchObject({
      status: 400,
      messages: [
        'Invalid parameter: account.id',
        'Invalid parameter: schedule.id',
        'Invalid parameter: schedule.id',
        'Invalid parameter: order',
        'Unknown query parameter: timestamp',
      ],
    });
    expect(await get(`${path}?schedule.id=274877906944`)).toMatchObject({
      status: 400,
      messages: ['Invalid entity ID "0.0.274877906944"'],
    });
  });
});
