/** The lists ordered by two columns against a model: random bounds, and plain pairs that say what each should give. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { type FixtureAnswer, followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { accountHoldingRoutes } from './account-holdings.ts';

const account = 900n;

type Pair = readonly [outer: bigint, inner: bigint];

/** Twelve outer values with up to eight inner ones each, some values left out. */
const pairs: readonly Pair[] = Array.from({ length: 12 }, (_outer, i) =>
  Array.from({ length: (i * 5) % 9 }, (_inner, k): Pair => [1000n + BigInt(i), 10n + BigInt(k * (1 + (i % 2)))]),
).flat();

let test: TestDatabase;
let get: (url: string) => Promise<FixtureAnswer>;

beforeAll(async () => {
  test = await createTestDatabase();
  const range = { timestamp_range: '[5,)' };
  const others = { owner: account + 1n, payer_account_id: account, amount_granted: 9, ...range };
  await insertRows(
    test.database,
    'nft',
    pairs.flatMap(([token_id, serial_number]) => [
      { account_id: account, token_id, serial_number, created_timestamp: 5, ...range },
      { account_id: account + 1n, token_id, serial_number: serial_number + 100n, created_timestamp: 5, ...range },
    ]),
  );
  await insertRows(
    test.database,
    'token_allowance',
    pairs.flatMap(([spender, token_id]) => [
      { ...others, owner: account, spender, token_id, amount: 7 },
      { ...others, owner: account, spender, token_id: token_id + 100n, amount: 0 },
      { ...others, spender, token_id, amount: 7 },
    ]),
  );
  const approved = { approved_for_all: true, payer_account_id: account, ...range };
  await insertRows(
    test.database,
    'nft_allowance',
    pairs.flatMap(([other, token_id]) => [
      { ...approved, owner: account, spender: other, token_id },
      { ...approved, owner: account, spender: other, token_id: token_id + 100n, approved_for_all: false },
      { ...approved, owner: other, spender: account, token_id },
    ]),
  );
  get = restRequests(accountHoldingRoutes, test.database);
});
afterAll(() => test?.drop());

interface ListUnderTest {
  readonly path: string;
  readonly outer: string;
  readonly inner: string;
  readonly fixed: string;
  readonly rowsOf: (answer: FixtureAnswer) => Pair[];
}

const num = (id: string | number): bigint => BigInt(`${id}`.replace('0.0.', ''));

interface Row {
  readonly [member: string]: string | number;
}

const rowsBy =
  (list: string, outer: string, inner: string) =>
  ({ json }: FixtureAnswer): Pair[] =>
    (json[list] as Row[]).map((row) => [num(row[outer] as string), num(row[inner] as string)]);

const lists: readonly (readonly [string, ListUnderTest])[] = [
  [
    'NFTs',
    {
      path: 'nfts',
      outer: 'token.id',
      inner: 'serialnumber',
      fixed: '',
      rowsOf: rowsBy('nfts', 'token_id', 'serial_number'),
    },
  ],
  [
    'token allowances',
    {
      path: 'allowances/tokens',
      outer: 'spender.id',
      inner: 'token.id',
      fixed: '',
      rowsOf: rowsBy('allowances', 'spender', 'token_id'),
    },
  ],
  [
    'NFT allowances of an owner',
    {
      path: 'allowances/nfts',
      outer: 'account.id',
      inner: 'token.id',
      fixed: '',
      rowsOf: rowsBy('allowances', 'spender', 'token_id'),
    },
  ],
  [
    'NFT allowances of a spender',
    {
      path: 'allowances/nfts',
      outer: 'account.id',
      inner: 'token.id',
      fixed: '&owner=false',
      rowsOf: rowsBy('allowances', 'owner', 'token_id'),
    },
  ],
];

type Side = readonly [operator: string, value: bigint] | undefined;

interface Filters {
  readonly lower: readonly [outer: Side, inner: Side];
  readonly upper: readonly [outer: Side, inner: Side];
  readonly equalOuter?: bigint | undefined;
  readonly equalInner?: bigint | undefined;
}

const outerValue = fc.bigInt({ min: 999n, max: 1012n });
const innerValue = fc.bigInt({ min: 9n, max: 26n });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

/** Combinations that every list takes: a bound of the inner column needs an inclusive one of the outer. */
const filtersArbitrary: fc.Arbitrary<Filters> = fc.oneof(
  fc
    .record({
      from: outerValue,
      length: fc.bigInt({ min: 0n, max: 13n }),
      hasLower: fc.boolean(),
      hasUpper: fc.boolean(),
      low: maybe(fc.tuple(fc.constantFrom('gt', 'gte'), innerValue)),
      high: maybe(fc.tuple(fc.constantFrom('lt', 'lte'), innerValue)),
    })
    // On one outer value alone both inner bounds hold together, which must not exclude each other for one of the lists.
    .map(
      ({ from, length, hasLower, hasUpper, low, high }): Filters => ({
        lower: hasLower ? [['gte', from], low] : [undefined, undefined],
        upper: hasUpper ? [['lte', from + length], high] : [undefined, undefined],
      }),
    ),
  fc
    .record({ from: outerValue, until: outerValue, equalInner: maybe(innerValue) })
    .filter(({ from, until }) => until - from > 1n)
    .map(
      ({ from, until, equalInner }): Filters => ({
        lower: [['gt', from], undefined],
        upper: [['lt', until], undefined],
        equalInner,
      }),
    ),
  fc.record({ equalOuter: outerValue, low: innerValue, length: fc.bigInt({ min: 0n, max: 9n }) }).map(
    ({ equalOuter, low, length }): Filters => ({
      lower: [undefined, ['gte', low]],
      upper: [undefined, ['lte', low + length]],
      equalOuter,
    }),
  ),
  fc.record({ equalOuter: outerValue, equalInner: maybe(innerValue) }).map(
    ({ equalOuter, equalInner }): Filters => ({
      lower: [undefined, undefined],
      upper: [undefined, undefined],
      equalOuter,
      equalInner,
    }),
  ),
);

const holds = (side: Side, value: bigint): boolean => {
  if (side === undefined) return true;
  const [operator, bound] = side;
  if (operator === 'gt') return value > bound;
  if (operator === 'gte') return value >= bound;
  return operator === 'lt' ? value < bound : value <= bound;
};

/** An inner bound holds only beside the outer value it stands at. */
const within = ([outer, inner]: Pair, filters: Filters): boolean =>
  (filters.equalOuter === undefined || outer === filters.equalOuter) &&
  (filters.equalInner === undefined || inner === filters.equalInner) &&
  [filters.lower, filters.upper].every(
    ([outerSide, innerSide]) =>
      holds(outerSide, outer) && (outerSide !== undefined && outer !== outerSide[1] ? true : holds(innerSide, inner)),
  );

const queryOf = (list: ListUnderTest, { lower, upper, equalOuter, equalInner }: Filters): string => {
  const write = (key: string, side: Side): string[] => (side === undefined ? [] : [`${key}=${side[0]}:${side[1]}`]);
  const [outer, inner] = [list.outer, list.inner];
  return [
    ...write(inner, lower[1]),
    ...write(outer, lower[0]),
    ...write(outer, upper[0]),
    ...write(inner, upper[1]),
    ...(equalOuter === undefined ? [] : [`${outer}=${equalOuter}`]),
    ...(equalInner === undefined ? [] : [`${inner}=eq:${equalInner}`]),
  ].join('&');
};

describe.each(lists)('the list of %s', (_name, list) => {
  it('gives every row within the bounds once, in order, whatever the page size', async () => {
    await fc.assert(
      fc.asyncProperty(
        filtersArbitrary,
        fc.constantFrom('asc', 'desc'),
        fc.constantFrom(1, 2, 7, 100),
        async (filters, order, limit) => {
          const url = `/api/v1/accounts/${account}/${list.path}?${queryOf(list, filters)}&order=${order}&limit=${limit}${list.fixed}`;
          const first = await get(url);
          expect(first.status, `${url}: ${first.details}`).toBe(200);
          const pages = await followLinks(get, url);
          const expected = pairs.filter((pair) => within(pair, filters));
          if (order === 'desc') expected.reverse();
          expect(pages.flatMap(list.rowsOf)).toEqual(expected);
          for (const page of pages) expect(list.rowsOf(page).length).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: 50 },
    );
  });
});
