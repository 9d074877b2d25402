import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { boundsOf, type Comparison } from '../../api/bounds.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { walksOf } from './transaction-walks.ts';
import { transactionRoutes } from './transactions.ts';

const last = 400;
const accounts = [98, 200, 201, 202, 203, 204, 300];
const types = { cryptotransfer: 14, tokenmint: 37, filecreate: 17, cryptocreateaccount: 11 } as const;

let test: TestDatabase;
let get: ReturnType<typeof restRequests>;

/** Transactions in runs, so that filters meet nothing for long; every kind of row that makes one concern an account. */
beforeAll(async () => {
  test = await createTestDatabase();
  await test.database.query(`
    insert into transaction (consensus_timestamp, valid_start_ns, payer_account_id, type, result, nonce, parent_consensus_timestamp)
      select n, n, (array[200, 201, 300])[1 + n / 150], case when n % 50 = 7 then 17 when n < 90 then 37 when n % 3 = 0 then 11 else 14 end,
        case when n % 40 < 2 or n < 10 then 10 else 22 end, n % 4, case when n % 8 = 1 then n - 1 end
      from generate_series(1, ${last}) n;
    insert into crypto_transfer (entity_id, consensus_timestamp, amount, payer_account_id)
      select 98, n, 2, 200 from generate_series(1, ${last}) n where n % 10 <> 3
      union all select 202, n, -1, 200 from generate_series(1, ${last}) n where n < 60 or n > 380
      union all select 202, n, 3, 200 from generate_series(1, ${last}) n where n % 30 = 0
      union all select 98, n, -1, 200 from generate_series(1, ${last}) n where n % 90 = 0;
    insert into token_transfer (token_id, account_id, consensus_timestamp, amount, payer_account_id)
      select 700, 203, n, n % 7 - 3, 200 from generate_series(1, ${last}) n where n % 5 = 0 and n < 200;
    insert into entity_transaction (consensus_timestamp, entity_id, payer_account_id, result, type)
      select n, 204, 200, 22, 14 from generate_series(1, ${last}) n where n % 60 = 11`);
  get = restRequests(transactionRoutes, test.database);
});

afterAll(() => test.drop());

interface Asked {
  readonly ids: readonly number[];
  readonly range: readonly [number, number] | undefined;
  readonly types: readonly (keyof typeof types)[];
  readonly result: 'success' | 'fail' | undefined;
  readonly direction: 'credit' | 'debit' | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
}

const nanos = (n: number): string => `0.${String(n).padStart(9, '0')}`;

const urlOf = ({ ids, range, types: names, result, direction, from, to, order, limit }: Asked): string => {
  const parameters = [
    ...ids.map((id) => `account.id=${id}`),
    ...(range === undefined ? [] : [`account.id=gte:${range[0]}`, `account.id=lte:${range[1]}`]),
    ...names.map((name) => `transactiontype=${name}`),
    ...(result === undefined ? [] : [`result=${result}`]),
    ...(direction === undefined ? [] : [`type=${direction}`]),
    ...(from === undefined ? [] : [`timestamp=gte:${nanos(from)}`]),
    ...(to === undefined ? [] : [`timestamp=lte:${nanos(to)}`]),
    `order=${order}`,
    `limit=${limit}`,
  ];
  return `/api/v1/transactions?${parameters.join('&')}`;
};

/** What concerns whom, asked of every transaction one by one. */
const expected = async (asked: Asked): Promise<number[]> => {
  const { ids, range, direction, result, from, to, order } = asked;
  const account = (column: string): string => {
    if (ids.length > 0) return `${column} in (${ids.join(', ')})`;
    return range === undefined ? 'true' : `${column} between ${range[0]} and ${range[1]}`;
  };
  const sign = direction === undefined ? 'true' : `amount ${direction === 'credit' ? '>' : '<'} 0`;
  const moved = (table: string, column: string): string =>
    `exists (select from ${table} m where m.consensus_timestamp = t.consensus_timestamp and ${account(column)} and ${sign})`;
  const concerns = [moved('crypto_transfer', 'm.entity_id'), moved('token_transfer', 'm.account_id')];
  if (direction === undefined) {
    concerns.push(
      `${account('payer_account_id')} and (nonce = 0 or parent_consensus_timestamp is not null or type in (11, 15))`,
      `exists (select from entity_transaction m where m.consensus_timestamp = t.consensus_timestamp and ${account('m.entity_id')})`,
    );
  }
  const isFiltered = ids.length > 0 || range !== undefined || direction !== undefined;
  const numbers = asked.types.map((name) => types[name]);
  const rows = await test.database.query<{ consensus_timestamp: string }>(`
    select consensus_timestamp from transaction t
    where ${isFiltered ? `(${concerns.join(' or ')})` : 'true'}
      and ${numbers.length > 0 ? `type in (${numbers.join(', ')})` : 'true'}
      and ${result === undefined ? 'true' : `result ${result === 'fail' ? '<>' : '='} 22`}
      and consensus_timestamp between ${from ?? 0} and ${to ?? last} order by 1 ${order}`);
  return rows.map(({ consensus_timestamp }) => Number(consensus_timestamp));
};

const time = fc.option(fc.integer({ min: 1, max: last }), { nil: undefined });

const questions = fc
  .record({
    ids: fc.uniqueArray(fc.constantFrom(...accounts), { maxLength: 3 }),
    range: fc.option(
      fc.constantFrom<readonly [number, number]>([90, 250], [99, 250], [99, 300], [202, 400], [201, 203], [301, 900]),
      { nil: undefined },
    ),
    types: fc.uniqueArray(fc.constantFrom(...(Object.keys(types) as (keyof typeof types)[])), { maxLength: 2 }),
    result: fc.constantFrom('success' as const, 'fail' as const, undefined),
    direction: fc.constantFrom('credit' as const, 'debit' as const, undefined),
    from: time,
    to: time,
    order: fc.constantFrom('asc' as const, 'desc' as const),
    limit: fc.integer({ min: 1, max: 100 }),
  })
  .map((asked) => (asked.ids.length > 0 ? { ...asked, range: undefined } : asked))
  .filter(({ from, to }) => from === undefined || to === undefined || from < to);

it('gives exactly the transactions that each filter names, page by page, whichever index is walked', async () => {
  await fc.assert(
    fc.asyncProperty(questions, async (asked) => {
      const pages = await followLinks(get, urlOf(asked), 500);
      const found = pages.flatMap(({ json }) =>
        json.transactions.map((row: { consensus_timestamp: string }) => Number(row.consensus_timestamp.split('.')[1])),
      );
      expect(found).toEqual(await expected(asked));
    }),
    { numRuns: 60 },
  );
});

const boundsOfAccounts = ({ ids, range }: Asked) => {
  const comparisons: Comparison[] = [
    ...ids.map((id) => ({ operator: 'eq' as const, value: BigInt(id) })),
    ...(range ?? []).map((id, i) => ({ operator: i === 0 ? ('gte' as const) : ('lte' as const), value: BigInt(id) })),
  ];
  return comparisons.length === 0 ? undefined : boundsOf(comparisons);
};

it('gives exactly the first of them by the plain statements, which other walks make way for in time', async () => {
  let plainOnes = 0;
  await fc.assert(
    fc.asyncProperty(questions, async (asked) => {
      const interval = { lower: BigInt(asked.from ?? 0), upper: BigInt(asked.to ?? last), excluded: [] };
      const { result, direction, order, limit } = asked;
      const accounts = boundsOfAccounts(asked);
      const walks = walksOf({
        ...{ accounts, timestamps: interval, result, direction, order, limit },
        types: asked.types.map((name) => types[name]),
        precedingTypes: [11, 15],
      });
      const plain = walks.find(({ isLong }) => isLong);
      if (plain === undefined) return;
      plainOnes++;
      const { found, reached } = await plain.step(test.database, interval, 0, limit);
      expect([found.map(Number), reached]).toEqual([(await expected(asked)).slice(0, limit), 'end']);
    }),
    { numRuns: 100 },
  );
  expect(plainOnes).toBeGreaterThan(20);
});
