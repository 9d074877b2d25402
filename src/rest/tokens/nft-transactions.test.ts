import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import { type FixtureAnswer, followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { type FixtureRow, insertRows } from '../testing/rows.fixture.ts';
import { tokenRoutes } from './tokens.ts';

const start = 1_600_000_000n * 1_000_000_000n;
const largest = '9223372036854775807';
const elsewhere = encodeEntityId(1n, 2n, 1500n);

const transfer = (
  serial: string | number,
  sender: number | null,
  receiver: number | null,
  token: bigint | number = 1500,
) =>
  `{"token_id": ${token}, "serial_number": ${serial}, "sender_account_id": ${sender}, "receiver_account_id": ${receiver}, "is_approval": ${sender === 12}}`;

const transaction = (offset: number, type: number, transfers: readonly string[] = [], more: FixtureRow = {}) => ({
  consensus_timestamp: start + BigInt(offset),
  type,
  result: 22,
  payer_account_id: 90,
  valid_start_ns: start - BigInt(offset),
  nft_transfer: transfers.length === 0 ? null : `[${transfers.join(', ')}]`,
  ...more,
});

const version = (serial_number: number | string, from: number, to?: number, more: FixtureRow = {}): FixtureRow => ({
  token_id: 1500,
  serial_number,
  created_timestamp: start + 10n,
  timestamp_range: `[${start + BigInt(from)},${to === undefined ? '' : start + BigInt(to)})`,
  ...more,
});

let test: TestDatabase;
let get: ReturnType<typeof restRequests>;

beforeAll(async () => {
  test = await createTestDatabase();
  const { database } = test;
  const { TOKENMINT, CRYPTOTRANSFER, CRYPTOAPPROVEALLOWANCE, TOKENUPDATE, TOKENDELETION, TOKENWIPE } = TransactionType;
  await insertRows(database, 'transaction', [
    transaction(10, TOKENMINT, [transfer(1, null, 11), transfer(largest, null, 11), transfer(1, null, 55, 1600)]),
    transaction(20, CRYPTOTRANSFER, [transfer(2, 98, 99), transfer(1, 11, 12), transfer(1, 12, 13)], { nonce: 3 }),
    transaction(30, CRYPTOTRANSFER, [transfer(1, 12, 14)]),
    transaction(40, CRYPTOAPPROVEALLOWANCE),
    transaction(50, TOKENUPDATE, [transfer(-1, 14, 15)]),
    transaction(60, TOKENDELETION),
    transaction(70, TOKENWIPE, [transfer(1, 15, null, 1600)]),
    transaction(80, TOKENMINT, [transfer(1, null, 11, elsewhere)]),
    transaction(90, 999),
  ]);
  await insertRows(database, 'nft', [
    version(1, 50),
    version(largest, 10),
    version(1, 70, undefined, { token_id: 1600, created_timestamp: null, deleted: true }),
    version(1, 90, undefined, { token_id: elsewhere }),
  ]);
  await insertRows(database, 'nft_history', [
    version(1, 10, 20),
    version(1, 20, 30),
    version(1, 30, 40),
    version(1, 40, 50),
    version(1, 80, 90, { token_id: elsewhere }),
  ]);
  await insertRows(database, 'entity', [
    { id: 1500, num: 1500, realm: 0, shard: 0, type: 'TOKEN', deleted: true, timestamp_range: `[${start + 60n},)` },
    { id: 1600, num: 1600, realm: 0, shard: 0, type: 'TOKEN', deleted: false, timestamp_range: `[${start + 60n},)` },
  ]);
  get = restRequests(tokenRoutes, database);
});
afterAll(() => test?.drop());

const of = (nft: string): string => `/api/v1/tokens/1500/nfts/${nft}/transactions`;
const offsetsOn = ({ json }: FixtureAnswer): number[] =>
  json.transactions.map(({ consensus_timestamp }: { consensus_timestamp: string }) =>
    Number(BigInt(consensus_timestamp.replace('.', '')) - start),
  );
const offsets = async (query: string): Promise<number[]> =>
  (await followLinks(get, `${of('1')}${query}`)).flatMap(offsetsOn);
const at = (offset: number): string => `1600000000.${offset.toString().padStart(9, '0')}`;

describe('GET /api/v1/tokens/{tokenId}/nfts/{serialNumber}/transactions', () => {
  it('shows mint, transfers, changes and the end of its token', async () => {
    const shown = (await get(`${of('1')}?order=asc`)).json.transactions;
    expect(shown[1]).toEqual({
      consensus_timestamp: at(20),
      is_approval: false,
      nonce: 3,
      receiver_account_id: '0.0.12',
      sender_account_id: '0.0.11',
      transaction_id: '0.0.90-1599999999-999999980',
      type: 'CRYPTOTRANSFER',
    });
    expect(
      shown.map((entry: Record<string, unknown>) => [
        entry.type,
        entry.sender_account_id,
        entry.receiver_account_id,
        entry.is_approval,
      ]),
    ).toEqual([
      ['TOKENMINT', null, '0.0.11', false],
      ['CRYPTOTRANSFER', '0.0.11', '0.0.12', false],
      ['CRYPTOTRANSFER', '0.0.12', '0.0.14', true],
      ['CRYPTOAPPROVEALLOWANCE', null, null, false],
      ['TOKENUPDATE', null, null, false],
      ['TOKENDELETION', null, null, false],
    ]);
  });

  it('pages both ways', async () => {
    const all = [60, 50, 40, 30, 20, 10];
    for (const limit of [1, 2, 3, 6, 100]) {
      expect(await offsets(`?limit=${limit}`)).toEqual(all);
      expect(await offsets(`?limit=${limit}&order=asc`)).toEqual(all.toReversed());
      expect(await offsets(`?limit=${limit}&timestamp=gte:${at(20)}&timestamp=lt:${at(60)}`)).toEqual([50, 40, 30, 20]);
    }
    expect((await get(`${of('1')}?timestamp=gt:${at(10)}&limit=2`)).link).toBe(
      `${of('1')}?timestamp=gt:${at(10)}&timestamp=lt:${at(50)}&limit=2`,
    );
  });

  it('takes timestamps that must all hold', async () => {
    expect(await offsets(`?timestamp=${at(30)}&limit=1`)).toEqual([30]);
    expect(await offsets(`?timestamp=${at(60)}`)).toEqual([60]);
    expect(await offsets(`?timestamp=${at(30)}&timestamp=${at(40)}`)).toEqual([]);
    expect(await offsets(`?timestamp=ne:${at(30)}&timestamp=lt:${at(50)}`)).toEqual([40, 20, 10]);
    expect(await offsets('?timestamp=gt:9999999999.999999999')).toEqual([]);
  });

  it('tells serial numbers apart by all their digits', async () => {
    const answer = await get(of(largest));
    expect(answer.json.transactions.map(({ receiver_account_id }: FixtureRow) => receiver_account_id)).toEqual([
      null,
      '0.0.11',
    ]);
  });

  it('is partial when the mint is missing', async () => {
    expect(await get('/api/v1/tokens/1600/nfts/1/transactions')).toMatchObject({
      status: 206,
      json: { transactions: [{ type: 'TOKENWIPE', sender_account_id: '0.0.15', receiver_account_id: null }] },
    });
    expect(await get(of('99'))).toMatchObject({ status: 206, json: { transactions: [{ type: 'TOKENDELETION' }] } });
    expect((await get(of('1'))).status).toBe(200);
  });

  it('is empty for an NFT that nothing is known of', async () => {
    expect(await get('/api/v1/tokens/9/nfts/1/transactions')).toMatchObject({
      status: 200,
      body: '{"transactions":[],"links":{"next":null}}',
    });
  });

  it('assumes the shard and realm of the network, and names what it can', async () => {
    const foreign = restRequests(tokenRoutes, test.database, { shard: 1n, realm: 2n });
    expect((await foreign(of('1'))).json.transactions).toMatchObject([
      { type: 'UNKNOWN', receiver_account_id: null },
      { type: 'TOKENMINT', receiver_account_id: '0.0.11' },
    ]);
  });

  it.each([
    ['x/nfts/x/transactions', ['Invalid parameter: tokenid']],
    ['1/nfts/x/transactions?limit=0', ['Invalid parameter: serialnumber']],
    ['1/nfts/1/transactions?a=1&order=x&timestamp=1.2.3', ['order', 'timestamp']],
  ])('refuses %s', async (path, invalid) => {
    const expected = path.includes('a=1')
      ? [...invalid.map((name) => `Invalid parameter: ${name}`), 'Unknown query parameter: a']
      : invalid;
    expect(await get(`/api/v1/tokens/${path}`)).toMatchObject({ status: 400, messages: expected });
  });
});
