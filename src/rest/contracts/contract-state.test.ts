import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { contractRoutes } from './contracts.ts';

const address = '25fe26adc577cc89172e6156c9e24f7b9751b762';
const word = (hex: string) => `0x${hex.padStart(64, '0')}`;
const hashed = 'c5'.repeat(32);

interface Change {
  readonly slot: string;
  readonly time: bigint;
  readonly written: string | null;
}

/** Slots as the table keeps them, in the order of its bytes. */
const slots = ['', '01', '0101', '02', '02ff', '28d21a', hashed];
const changes: readonly Change[] = slots.flatMap((slot, s) =>
  Array.from({ length: 1 + (s % 4) }, (_, i): Change => {
    const written = (s * 16 + i).toString(16).padStart(2, '0');
    return { slot, time: BigInt(1000 + s * 3 + i * 5), written: (s + i) % 5 === 4 ? null : written };
  }),
);

let test: TestDatabase;
let get: ReturnType<typeof restRequests>;

beforeAll(async () => {
  test = await createTestDatabase();
  const foreign = encodeEntityId(1n, 2n, 5001n);
  const state = (id: number | bigint, slot: string, value: string | null) => ({
    contract_id: id,
    created_timestamp: 1,
    modified_timestamp: 1_676_540_001_234_390_005n,
    slot: `\\x${slot.padStart(64, '0')}`,
    value: value === null ? null : `\\x${value}`,
  });
  await insertRows(test.database, 'contract_state', [
    state(5001, '1', '10'),
    state(5001, '2', ''),
    state(5001, '0100', null),
    state(5001, hashed, 'ff'.repeat(32)),
    state(5002, '1', '77'),
    state(foreign, '1', '01'),
  ]);
  await insertRows(
    test.database,
    'contract_state_change',
    changes.flatMap(({ slot, time, written }) =>
      [5001, 5003].map((id) => ({
        consensus_timestamp: time,
        contract_id: id,
        payer_account_id: 2,
        slot: `\\x${slot}`,
        value_read: '\\xee',
        value_written: written === null ? null : `\\x${written}`,
      })),
    ),
  );
  const entity = { id: 5001, num: 5001, realm: 0, shard: 0, type: 'CONTRACT', deleted: false, timestamp_range: '[0,)' };
  await insertRows(test.database, 'entity', [{ ...entity, evm_address: `\\x${address}` }]);
  await test.database.query('analyze');
  get = restRequests(contractRoutes, test.database);
});
afterAll(() => test?.drop());

describe('the storage of a contract', () => {
  it('is listed by slot', async () => {
    const entry = { address: `0x${address}`, contract_id: '0.0.5001', timestamp: '1676540001.234390005' };
    expect((await get('/api/v1/contracts/5001/state')).json).toEqual({
      links: { next: null },
      state: [
        { ...entry, slot: word('1'), value: word('10') },
        { ...entry, slot: word('2'), value: word('0') },
        { ...entry, slot: word('0100'), value: null },
        { ...entry, slot: word(hashed), value: word('ff'.repeat(32)) },
      ],
    });
  });

  it('is found by address and in another realm, and is empty for contracts that nobody knows', async () => {
    for (const text of [address, `0x${address}`, `0.0.${address}`, `0x${'1389'.padStart(40, '0')}`]) {
      expect((await get(`/api/v1/contracts/${text}/state?limit=1`)).json.state).toHaveLength(1);
    }
    const elsewhere = restRequests(contractRoutes, test.database, { shard: 1n, realm: 2n });
    expect((await elsewhere('/api/v1/contracts/5001/state')).json.state).toEqual([
      {
        address: '0x0000000000000000000000000000000000001389',
        contract_id: '1.2.5001',
        slot: word('1'),
        timestamp: '1676540001.234390005',
        value: word('1'),
      },
    ]);
    for (const path of ['9999/state', `${'77'.repeat(20)}/state`, '9999/state?timestamp=1']) {
      expect((await get(`/api/v1/contracts/${path}`)).json).toEqual({ state: [], links: { next: null } });
    }
  });

  const slotsOf = async (query: string) => {
    const { json, link } = await get(`/api/v1/contracts/5001/state?${query}`);
    return [json.state.map(({ slot }: { slot: string }) => slot), link];
  };

  it('is filtered by slots', async () => {
    expect(await slotsOf('slot=0x1&slot=0100&slot=eq:0x0002')).toEqual([[word('1'), word('2'), word('0100')], null]);
    expect(await slotsOf('slot=gt:1&slot=lte:0x100')).toEqual([[word('2'), word('0100')], null]);
    expect(await slotsOf('slot=1&slot=2&slot=gte:2')).toEqual([[word('2')], null]);
    expect(await slotsOf('slot=gt:5&slot=lt:3')).toEqual([[], null]);
  });

  it('pages in both orders', async () => {
    expect(await slotsOf('limit=2')).toEqual([
      [word('1'), word('2')],
      `/api/v1/contracts/5001/state?limit=2&slot=gt:${word('2')}`,
    ]);
    expect(await slotsOf(`limit=2&order=desc&slot=lte:0x100`)).toEqual([
      [word('0100'), word('2')],
      `/api/v1/contracts/5001/state?limit=2&order=desc&slot=lt:${word('2')}`,
    ]);
    expect(await slotsOf('limit=1&slot=gt:1&slot=lt:3')).toEqual([[word('2')], null]);
    expect(await slotsOf('limit=1&slot=2&slot=1')).toEqual([
      [word('1')],
      '/api/v1/contracts/5001/state?limit=1&slot=2',
    ]);
    const pages = await followLinks(get, '/api/v1/contracts/5001/state?limit=3&order=desc');
    expect(pages.map(({ json }) => json.state.length)).toEqual([3, 1]);
  });
});

describe('the storage as it was', () => {
  it('holds the last change of each slot within the times, whatever the page size', async () => {
    const time = fc.integer({ min: 995, max: 1035 });
    const slot = fc.constantFrom(...slots);
    await fc.assert(
      fc.asyncProperty(
        fc.option(fc.tuple(fc.constantFrom('gt', 'gte'), time)),
        fc.tuple(fc.constantFrom('lt', 'lte', 'eq'), time),
        fc.option(slot),
        fc.option(slot),
        fc.constantFrom('asc', 'desc'),
        fc.constantFrom(1, 3, 100),
        async (from, to, above, below, order, limit) => {
          const query = [
            `order=${order}&limit=${limit}&timestamp=${to[0]}:${formatTimestamp(BigInt(to[1]))}`,
            ...(from === null ? [] : [`timestamp=${from[0]}:${formatTimestamp(BigInt(from[1]))}`]),
            ...(above === null ? [] : [`slot=gte:0x${above || '0'}`]),
            ...(below === null ? [] : [`slot=lt:${below || '0'}`]),
          ];
          const end = BigInt(to[1]) - (to[0] === 'lt' ? 1n : 0n);
          const begin = from === null ? 0n : BigInt(from[1]) + (from[0] === 'gt' ? 1n : 0n);
          const expected = slots
            .filter((s) => (above === null || s >= above) && (below === null || s < below))
            .flatMap((s) => {
              const last = changes.findLast((c) => c.slot === s && c.time >= begin && c.time <= end);
              return last === undefined
                ? []
                : [`${word(s)} ${word(last.written ?? 'ee')} ${formatTimestamp(last.time)}`];
            });
          const pages = await followLinks(get, `/api/v1/contracts/5001/state?${query.join('&')}`);
          const shown = pages
            .flatMap(({ json }) => json.state)
            .map((entry) => `${entry.slot} ${entry.value} ${entry.timestamp}`);
          expect(shown).toEqual(order === 'asc' ? expected : expected.toReversed());
        },
      ),
      { numRuns: 80 },
    );
  });

  it('is found by single slots, whatever their leading zeros', async () => {
    const found = async (query: string) =>
      (await get(`/api/v1/contracts/5001/state?timestamp=2&${query}`)).json.state.map(
        ({ slot }: { slot: string }) => slot,
      );
    expect(await found('slot=0x1&slot=001&slot=0')).toEqual([word('0'), word('1')]);
    expect(await found('slot=2&slot=0x28d21a&order=desc')).toEqual([word('28d21a'), word('2')]);
    expect(await found('slot=2&slot=1&slot=gt:1')).toEqual([word('2')]);
    expect(await found('slot=3')).toEqual([]);
  });

  it('is empty for times that hold nothing', async () => {
    for (const query of ['timestamp=gt:9999999999.999999999', 'timestamp=0', 'timestamp=gt:5&timestamp=lt:5']) {
      expect((await get(`/api/v1/contracts/5001/state?${query}`)).json.state).toEqual([]);
    }
    expect((await get('/api/v1/contracts/5001/state?timestamp=9999999999.999999999')).json.state).toHaveLength(7);
  });
});

describe('what the storage refuses', () => {
  it('names every faulty parameter', async () => {
    const refusal = async (text: string) => (await get(`/api/v1/contracts/${text}`)).messages;
    expect(await refusal(`5001/state?foo=1&slot=ne:1&slot=0x&slot=${'1'.repeat(65)}&slot=xyz&timestamp=a`)).toEqual([
      'Invalid parameter: slot',
      'Invalid parameter: slot',
      'Invalid parameter: slot',
      'Invalid parameter: slot',
      'Invalid parameter: timestamp',
      'Unknown query parameter: foo',
    ]);
    expect(await refusal('5001/state?timestamp=ne:1')).toEqual([
      'Not equals (ne) operator is not supported for timestamp',
    ]);
    expect(await refusal('a.b/state?limit=0')).toEqual(['Invalid parameter: contractid']);
  });
});
