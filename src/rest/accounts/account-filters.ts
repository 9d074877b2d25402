/** The filters that `/accounts` and `/balances` share: ids, public keys, balances; and who is never shown. */
import { alternatives, type Bounds, conjunction } from '../../api/bounds.ts';
import { type HomeRealm, readEntityReference } from '../../api/entity-reference.ts';
import { nextLink, type Order } from '../../api/page.ts';
import type { PublicKeyFilters } from '../../api/public-key-filters.ts';
import type { GroupedQuery } from '../../api/query.ts';
import type { RestRequest } from '../../api/route.ts';
import { intervalConditions, type StatementBuilder } from '../../api/sql.ts';
import { type EntityId, encodeEntityId, formatEntityId } from '../../ledger/entity-id.ts';

/** The account that every balance snapshot has a row of. */
export const treasuryOf = ({ shard, realm }: HomeRealm): EntityId => encodeEntityId(shard, realm, 2n);

/**
 * What the importer writes as memo of the treasury when a ledger has none and balance snapshots need it as their mark.
 * Such an account exists in the database alone and is shown nowhere; another account may have any memo.
 */
const syntheticTreasuryMemo = 'Mirror node created synthetic treasury account';

/** A condition that leaves out a treasury made by the importer, over a row of `entity`. */
export const isNoSyntheticTreasury = (builder: StatementBuilder, treasury: EntityId, entity: string): string =>
  `(${entity}.id <> ${builder.bind(treasury)}::bigint or ${entity}.memo <> '${syntheticTreasuryMemo}')`;

/** As `isNoSyntheticTreasury` for a column that holds an account's id. */
export const isIdOfNoSyntheticTreasury = (builder: StatementBuilder, treasury: EntityId, column: string): string => {
  const id = builder.bind(treasury);
  return `(${column} <> ${id}::bigint or
    not exists (select from entity t where t.id = ${id}::bigint and t.memo = '${syntheticTreasuryMemo}'))`;
};

/** Conditions that hold a balance within all its filters at once. Undefined when nothing can match. */
export const balanceConditions = (builder: StatementBuilder, column: string, bounds: Bounds): string[] | undefined => {
  const interval = conjunction(bounds);
  return interval === undefined ? undefined : intervalConditions(builder, column, interval);
};

/**
 * Conditions that hold an int8 column within merged filters, whose repeated equalities mean "one of". Undefined when
 * nothing can match.
 */
export const boundsConditions = (builder: StatementBuilder, column: string, bounds: Bounds): string[] | undefined => {
  const equal = alternatives(bounds);
  if (equal !== undefined) {
    return equal.length === 0 ? undefined : [`${column} = any (${builder.bind(equal)}::bigint[])`];
  }
  return balanceConditions(builder, column, bounds);
};

const sqlOperators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** All others are ranges of the index, which gives them at once where nearly all rows have the key. */
const isOther = (column: string, key: string): string => `(${column} < ${key} or ${column} > ${key})`;

/** Conditions on a column that holds hex of public keys. */
export const publicKeyConditions = (builder: StatementBuilder, column: string, keys: PublicKeyFilters): string[] => [
  ...(keys.equal.length === 0 ? [] : [`${column} = any (${builder.bind(keys.equal)}::text[])`]),
  ...keys.others.map(({ operator, value }) => {
    const key = `${builder.bind(value)}::text`;
    return operator === 'ne' ? isOther(column, key) : `${column} ${sqlOperators[operator]} ${key}`;
  }),
];

const isEquality = (text: string | undefined): text is string => text !== undefined && !/^(ne|gte?|lte?):/.test(text);

/** The id that a value of `account.id` writes; undefined for what only the database can resolve. */
const idOf = (text: string, home: HomeRealm): EntityId | undefined => {
  try {
    const reference = readEntityReference(text.replace(/^.*:/s, ''), home);
    return 'id' in reference ? reference.id : undefined;
  } catch {
    return undefined;
  }
};

/**
 * The link to the page after the account `last`. Where ids are named by equality, those that have been passed are left
 * out, so that following the links comes to an end.
 * @param idOfValue the id behind a value of `account.id`, where that takes more than reading it
 */
export const accountPageLink = (
  request: Pick<RestRequest, 'path' | 'linkPrefix'>,
  query: GroupedQuery,
  order: Order,
  last: EntityId,
  home: HomeRealm,
  idOfValue: (text: string) => EntityId | undefined = (text) => idOf(text, home),
): string | null => {
  const values = query.get('account.id') ?? [];
  const isPassed = (text: string | undefined): boolean => {
    if (!isEquality(text)) return false;
    const id = idOfValue(text);
    return id === undefined || (order === 'asc' ? id <= last : id >= last);
  };
  const left = values.filter((text) => !isPassed(text));
  if (values.some(isEquality) && !left.some(isEquality)) return null;
  return nextLink(request, new Map(query).set('account.id', left), order, [
    { key: 'account.id', value: formatEntityId(last), numberOf: (text) => idOf(text, home) },
  ]);
};
