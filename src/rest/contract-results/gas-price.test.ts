import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import {
  CurrentAndNextFeeSchedule,
  FeeSchedule,
  HederaFunctionality,
} from '../../protobuf/generated/services/basic_types.ts';
import { ExchangeRateSet } from '../../protobuf/generated/services/exchange_rate.ts';
import { restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { contractResultRoutes } from './contract-results.ts';

const second = 1_000_000_000n;

const schedule = (gas: bigint, expiry: bigint) =>
  FeeSchedule.fromPartial({
    transactionFeeSchedule: [
      { hederaFunctionality: HederaFunctionality.ContractCreate, fees: [{ servicedata: { gas: 5_000_000n } }] },
      { hederaFunctionality: HederaFunctionality.ContractCall, fees: [{ servicedata: { gas } }] },
    ],
    expiryTime: { seconds: expiry },
  });

const fees = CurrentAndNextFeeSchedule.encode(
  CurrentAndNextFeeSchedule.fromPartial({
    currentFeeSchedule: schedule(852_000n, 1000n),
    nextFeeSchedule: schedule(1_704_000n, 2000n),
  }),
).finish();

const rates = (current: number, next: number, expiry: bigint) =>
  ExchangeRateSet.encode(
    ExchangeRateSet.fromPartial({
      currentRate: { hbarEquiv: 1, centEquiv: current, expirationTime: { seconds: expiry } },
      nextRate: { hbarEquiv: 1, centEquiv: next, expirationTime: { seconds: expiry + 3600n } },
    }),
  ).finish();

const hex = (bytes: Uint8Array) => `\\x${Buffer.from(bytes).toString('hex')}`;

const file = (seconds: bigint, entity_id: number, transaction_type: number, file_data: string) => ({
  consensus_timestamp: seconds * second,
  entity_id,
  transaction_type,
  file_data,
});

const result = (seconds: bigint) => ({
  consensus_timestamp: seconds * second,
  contract_id: 5001,
  call_result: '\\x01',
  function_parameters: '\\x',
  gas_limit: 1,
  payer_account_id: 8001,
  transaction_result: 22,
});

let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
  const half = Math.floor(fees.length / 2);
  await insertRows(test.database, 'file_data', [
    file(100n, 111, 17, hex(fees.subarray(0, half))),
    file(200n, 111, 16, hex(fees.subarray(half))),
    file(100n + 1n, 112, 17, hex(rates(12, 15, 500n))),
    file(600n, 112, 19, hex(rates(12, 15, 4000n))),
    file(700n, 112, 19, '\\xff'),
  ]);
  await insertRows(test.database, 'contract_result', [50n, 150n, 300n, 550n, 650n, 750n, 1001n].map(result));
  await insertRows(test.database, 'contract_transaction', [
    { consensus_timestamp: 300n * second, entity_id: 5001, contract_ids: '{5001}', payer_account_id: 8001 },
  ]);
});
afterAll(() => test?.drop());

describe('the price of gas that nobody signed', () => {
  it('follows the files that were in force at the time', async () => {
    const get = restRequests(contractResultRoutes, test.database);
    const { json } = await get('/api/v1/contracts/results?order=asc');
    const priceOf = ({ timestamp, gas_price }: Record<string, string>) => [timestamp?.slice(0, -10), gas_price];
    expect(json.results.map(priceOf)).toEqual([
      ['50', null], // before the files
      ['150', '0x47'], // while the schedule is being appended to
      ['300', '0x47'], // 852000 / 1000 / 12
      ['550', '0x38'], // the next rate
      ['650', '0x47'], // the next rates
      ['750', '0x47'], // unreadable rates: those before
      ['1001', '0x8e'], // the next schedule
    ]);
  });

  it('is in weibars where amounts are, and in the details too', async () => {
    const get = restRequests(contractResultRoutes, test.database);
    const { json } = await get('/api/v1/contracts/5001/results/300?hbar=false');
    expect(json.gas_price).toBe(`0x${(71n * 10_000_000_000n).toString(16)}`);
  });

  it('follows a version that came after the last answer, and stays for times before it', async () => {
    const get = restRequests(contractResultRoutes, test.database);
    const prices = async () => {
      const { json } = await get('/api/v1/contracts/results?timestamp=gte:1001');
      return json.results.map(({ gas_price }: Record<string, string>) => gas_price);
    };
    expect(await prices()).toEqual(['0x8e']);
    await insertRows(test.database, 'file_data', [file(1100n, 112, 19, hex(rates(24, 30, 4000n)))]);
    await insertRows(test.database, 'contract_result', [result(1101n)]);
    expect(await prices()).toEqual(['0x47', '0x8e']); // 1704000 / 1000 / 24
  });

  it('belongs to files of the own shard and realm', async () => {
    const get = restRequests(contractResultRoutes, test.database, { shard: 1n, realm: 2n });
    const { json } = await get('/api/v1/contracts/results?timestamp=300');
    expect(json.results[0].gas_price).toBeNull();
  });
});
