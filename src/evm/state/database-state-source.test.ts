import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { Extra, FeeSchedule } from '../../protobuf/generated/fees/fee_schedule.ts';
import { CurrentAndNextFeeSchedule, HederaFunctionality } from '../../protobuf/generated/services/basic_types.ts';
import { ExchangeRateSet } from '../../protobuf/generated/services/exchange_rate.ts';
import { openStateSource } from './database-state-source.ts';
import type { StateSource } from './state-source.ts';

const options = { shard: 0n, realm: 0n, maxFileAttempts: 3 };
const second = 1_000_000_000n;
const hour = 3_600n * second;
const start = BigInt(Date.parse('2024-03-10T00:00:00Z')) * 1_000_000n;

let target: TestDatabase;
/** Texts of the statements that were sent. */
let sent: string[] = [];
let hold: Promise<void> | undefined;
let counted: Database;
let source: StateSource;

const run = (text: string) => target.database.query(text);

beforeAll(async () => {
  target = await createTestDatabase();
  counted = {
    ...target.database,
    query: async (text: string, values?: readonly unknown[], name?: string) => {
      sent.push(text);
      const rows = await target.database.query(text, values, name);
      await hold;
      return rows;
    },
  } as Database;
});
beforeEach(async () => {
  await run(
    'truncate record_file, entity, file_data, contract, contract_state, contract_state_change, contract_result',
  );
  source = openStateSource(counted, options);
  hold = undefined;
  sent = [];
});
afterAll(() => target?.drop());

describe('blocks', () => {
  const hashes = ['aa', 'ab', 'ff'].map((digits) => digits.repeat(48));
  const block = (index: number) => ({
    index: BigInt(index),
    consensusStart: BigInt(index * 10),
    consensusEnd: BigInt(index * 10 + 5),
    hash: new Uint8Array(48).fill([0xaa, 0xab, 0xff][index - 5] as number),
  });
  const insertBlock = (index: number) =>
    run(`insert into record_file (name, load_start, load_end, hash, prev_hash, consensus_start, consensus_end, count,
        digest_algorithm, version, file_hash, index)
      values ('', 0, 0, '${hashes[index - 5]}', '', ${index}0, ${index}5, 1, 0, 6, '', ${index})`);

  it('are found in every way', async () => {
    for (const index of [5, 6, 7]) await insertBlock(index);
    expect(await source.block({ kind: 'latest' })).toEqual(block(7));
    expect(await source.block({ kind: 'earliest' })).toEqual(block(5));
    expect(await source.block({ kind: 'number', number: 6n })).toEqual(block(6));
    expect(await source.block({ kind: 'number', number: 8n })).toBeUndefined();
    expect(await source.block({ kind: 'hash', hash: 'AA'.repeat(32) })).toEqual(block(5));
    expect(await source.block({ kind: 'hash', hash: 'ff'.repeat(48) })).toEqual(block(7));
    expect(await source.block({ kind: 'hash', hash: 'ac'.repeat(32) })).toBeUndefined();
    expect(await source.blockOf(55n)).toEqual(block(5));
    expect(await source.blockOf(56n)).toEqual(block(6));
    expect(await source.blockOf(76n)).toBeUndefined();
  });

  it('of an empty database are not there', async () => {
    expect(await source.block({ kind: 'latest' })).toBeUndefined();
    expect(await source.block({ kind: 'earliest' })).toBeUndefined();
  });

  it('are looked up anew after a commit', async () => {
    await insertBlock(5);
    expect((await source.block({ kind: 'latest' }))?.index).toBe(5n);
    await insertBlock(6);
    expect((await source.block({ kind: 'latest' }))?.index).toBe(5n);
    source.onBlockCommitted();
    expect((await source.block({ kind: 'latest' }))?.index).toBe(6n);
    expect(sent).toHaveLength(2);
  });
});

describe('rates', () => {
  const file = (number: number, time: bigint, bytes: Uint8Array, type = 19) =>
    run(`insert into file_data (entity_id, consensus_timestamp, file_data, transaction_type)
      values (${number}, ${time}, '\\x${Buffer.from(bytes).toString('hex')}', ${type})`);
  const rates = (centEquiv: number, expiry: bigint) => {
    const rate = (cents: number, time: bigint) => ({
      hbarEquiv: 30_000,
      centEquiv: cents,
      expirationTime: { seconds: time / second },
    });
    const set = { currentRate: rate(centEquiv, expiry), nextRate: rate(centEquiv + 1, expiry + hour) };
    return ExchangeRateSet.encode(ExchangeRateSet.fromPartial(set)).finish();
  };
  const schedules = (current: bigint, next: bigint, expiry: bigint) => {
    const schedule = (gas: bigint) => ({
      transactionFeeSchedule: [
        { hederaFunctionality: HederaFunctionality.ContractCall, fees: [{ servicedata: { gas } }] },
      ],
      expiryTime: { seconds: expiry / second },
    });
    const both = { currentFeeSchedule: schedule(current), nextFeeSchedule: schedule(next) };
    return CurrentAndNextFeeSchedule.encode(CurrentAndNextFeeSchedule.fromPartial(both)).finish();
  };
  const cents = async (now: bigint) => {
    const { exchangeRate, gasPriceMilliTinycents } = await source.rates(now);
    return [exchangeRate.hbarEquiv, exchangeRate.centEquiv, gasPriceMilliTinycents];
  };

  it('of a ledger without files are those that networks begin with', async () => {
    expect(await cents(start)).toEqual([1n, 12n, 852_000n]);
    expect(await cents(4_102_444_801n * second)).toEqual([1n, 15n, 852_000n]);
  });

  it('change with the hour, and when the current ones expire', async () => {
    await file(112, start - hour, rates(200_000, start + hour / 2n));
    await file(112, start + 1n, rates(300_000, start + 2n * hour));
    expect(await cents(start)).toEqual([30_000n, 200_000n, 852_000n]);
    expect(await cents(start + hour / 2n)).toEqual([30_000n, 200_000n, 852_000n]);
    expect(await cents(start + hour / 2n + 1n)).toEqual([30_000n, 200_001n, 852_000n]);
    expect(sent).toHaveLength(3);
    expect(await cents(start + hour)).toEqual([30_000n, 300_000n, 852_000n]);
  });

  it('come from the newest version that can be read', async () => {
    await file(112, start - 2n * hour, rates(200_000, start + hour));
    await file(112, start - hour, new Uint8Array([255]));
    await file(
      112,
      start - 2n,
      ExchangeRateSet.encode(ExchangeRateSet.fromPartial({ currentRate: { centEquiv: 1 } })).finish(),
    );
    await file(112, start - 1n, new Uint8Array([255]), 16);
    expect(await cents(start)).toEqual([1n, 12n, 852_000n]);
    source = openStateSource(counted, { ...options, maxFileAttempts: 4 });
    expect(await cents(start)).toEqual([30_000n, 200_000n, 852_000n]);
  });

  it('of gas come from the simple schedule, else from the older one', async () => {
    await file(111, start - hour, schedules(900_000n, 950_000n, start + second));
    expect((await cents(start + second))[2]).toBe(900_000n);
    expect((await cents(start + second + 1n))[2]).toBe(950_000n);
    const simple = FeeSchedule.fromPartial({ extras: [{ name: Extra.GAS, fee: 700n }] });
    await file(113, start - 2n * hour, FeeSchedule.encode(simple).finish());
    source.onBlockCommitted();
    expect((await cents(start + second + 1n))[2]).toBe(700_000n);
  });
});

describe('what was read', () => {
  const insertAccount = (id: number, balance: number) =>
    run(`insert into entity (id, num, shard, realm, type, created_timestamp, timestamp_range, balance)
      values (${id}, ${id}, 0, 0, 'ACCOUNT', 1, '[1,)', ${balance})`);

  it('is kept until the next commit and shared', async () => {
    await insertAccount(1001, 5);
    const latest = source.latest();
    const both = await Promise.all([latest.entity(1001n), source.latest().entity(1001n), latest.entity(1002n)]);
    expect(both.map((entity) => entity?.balance)).toEqual([5n, 5n, undefined]);
    expect(sent).toHaveLength(1);
    await run('update entity set balance = 6');
    await insertAccount(1002, 7);
    expect((await latest.entity(1001n))?.balance).toBe(5n);
    source.onBlockCommitted();
    expect((await latest.entity(1001n))?.balance).toBe(6n);
    expect((await latest.entity(1002n))?.balance).toBe(7n);
  });

  it('while a block was committed is not kept', async () => {
    await insertAccount(1001, 5);
    let release = (): void => undefined;
    hold = new Promise((resolve) => {
      release = resolve;
    });
    const early = source.latest().entity(1001n);
    while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    // The read that is held back saw the balance before or after this; it must not answer those who ask from now on.
    await run('update entity set balance = 6');
    source.onBlockCommitted();
    hold = undefined;
    expect((await source.latest().entity(1001n))?.balance).toBe(6n);
    release();
    await early;
    expect((await source.latest().entity(1001n))?.balance).toBe(6n);
  });

  it('of code stays, that there is none does not', async () => {
    await run(`insert into contract (id, runtime_bytecode) values (1003, '\\x01')`);
    const latest = source.latest();
    expect([await latest.code(1003n), await latest.code(1004n)]).toEqual([new Uint8Array([1]), undefined]);
    await run(`insert into contract (id, runtime_bytecode) values (1004, '\\x02')`);
    expect(await latest.code(1004n)).toBeUndefined();
    source.onBlockCommitted();
    sent = [];
    expect(await latest.code(1004n)).toEqual(new Uint8Array([2]));
    expect(await source.at(5n).code(1003n)).toEqual(new Uint8Array([1]));
    expect(sent).toHaveLength(1);
  });

  it('of a past block is shared by its readers', async () => {
    await insertAccount(1001, 5);
    await source.at(10n).entity(1001n);
    const statements = sent.length;
    await source.at(10n).entity(1001n);
    expect(sent).toHaveLength(statements);
    await source.at(11n).entity(1001n);
    expect(sent.length).toBeGreaterThan(statements);
  });
});

describe('storage', () => {
  const word = (value: number): string => value.toString(16).padStart(64, '0');
  const hashed = (value: number): string => `${'e'.repeat(60)}${value.toString(16).padStart(4, '0')}`;
  const fill = (count: number) =>
    run(`insert into contract_state (contract_id, slot, value, created_timestamp, modified_timestamp)
      select 1003, decode(lpad(to_hex(n), 64, 'e'), 'hex'), '\\x05', 1, 1 from generate_series(4096, ${4095 + count}) n;
      insert into contract_state (contract_id, slot, value, created_timestamp, modified_timestamp)
      values (1003, '\\x${word(0)}', '\\x07', 1, 1)`);

  it('comes in one statement with what runs asked for before', async () => {
    await fill(600);
    const slots = [word(0), hashed(4096 + 599), hashed(4096 + 598), hashed(4096 + 597), word(9)];
    const run = async (reader = source.latest()) => {
      const values = [];
      for (const slot of slots) values.push(await reader.slot(1003n, slot));
      return values;
    };
    const expected = [word(7), word(5), word(5), word(5), word(0)];
    expect(await run()).toEqual(expected);
    source.onBlockCommitted();
    sent = [];
    expect(await run()).toEqual(expected);
    expect(sent).toHaveLength(1);
    expect(await run()).toEqual(expected);
    expect(sent).toHaveLength(1);
  });

  it('of a contract not met before comes with what its newest results touched', async () => {
    await fill(600);
    const touched = [4096 + 590, 4096 + 580, 4096 + 570];
    await run(`insert into contract_result (consensus_timestamp, contract_id, payer_account_id, function_parameters,
        gas_limit, transaction_result) values (${start}, 1003, 2, '', 1, 22);
      insert into contract_state_change (consensus_timestamp, contract_id, payer_account_id, slot, value_read) values
        ${touched.map((slot) => `(${start}, 1003, 2, '\\x${hashed(slot)}', '\\x05')`).join(', ')},
        (${start}, 1003, 2, '\\x08', '')`);
    for (const reader of [source.latest(), source.at(start)]) {
      sent = [];
      // The first one goes out beside the guess.
      expect(await reader.slot(1003n, word(1))).toBe(word(0));
      const values = await Promise.all([...touched.map(hashed), word(8)].map((slot) => reader.slot(1003n, slot)));
      expect(values).toEqual([word(5), word(5), word(5), word(0)]);
      expect(sent.length).toBeLessThanOrEqual(2);
      source = openStateSource(counted, options);
    }
  });
});
