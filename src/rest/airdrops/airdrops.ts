/**
 * `/api/v1/accounts/{id}/airdrops/...`: airdrops that wait to be claimed
 * ([HIP-904](https://hips.hedera.com/hip/hip-904)), those an account sent and those it may receive. Both are ordered by
 * the other account, the token and the serial number.
 */
import { boundsOf, type Comparison } from '../../api/bounds.ts';
import { readJavaAccountReference, resolveJavaReference } from '../../api/java-account-lookup.ts';
import {
  countFaults,
  defaultJavaLimit,
  javaIdComparisons,
  javaLimit,
  javaNumberComparisons,
  javaOrder,
  limitFaults,
  maxJavaLimit,
  refuseFaults,
} from '../../api/java-parameters.ts';
import { javaNextLink, type OrderedColumn, orderedConditions } from '../../api/java-ranges.ts';
import { entityIdJson, integerJson, linksJson } from '../../api/json.ts';
import type { Order } from '../../api/page.ts';
import { reasonedProblem } from '../../api/problem.ts';
import type { RestAnswer, RestRequest, Route, RouteContext } from '../../api/route.ts';
import { limitParameterDoc, orderParameterDoc } from '../../api/schemas.ts';
import { statementBuilder, statementName, whereClause } from '../../api/sql.ts';
import { type EntityId, formatEntityId } from '../../ledger/entity-id.ts';
import { timestampJson } from '../network/timestamp-json.ts';
import { airdropSchemas, airdropsSchema, idParameterDoc, serialNumberParameterDoc } from './airdrop-schema.ts';

/** One of the two lists: whose column the account stands in, and how the other side is called. */
interface AirdropList {
  readonly ownColumn: 'sender_account_id' | 'receiver_account_id';
  readonly otherColumn: 'sender_account_id' | 'receiver_account_id';
  readonly otherKey: 'sender.id' | 'receiver.id';
}

const outstanding: AirdropList = {
  ownColumn: 'sender_account_id',
  otherColumn: 'receiver_account_id',
  otherKey: 'receiver.id',
};
const pending: AirdropList = {
  ownColumn: 'receiver_account_id',
  otherColumn: 'sender_account_id',
  otherKey: 'sender.id',
};

interface AirdropRow {
  readonly amount: string | null;
  readonly receiver_account_id: string;
  readonly sender_account_id: string;
  readonly serial_number: string;
  readonly token_id: string;
  readonly valid_from: string;
  readonly valid_to: string | null;
}

/** Fungible tokens are kept with serial number 0. */
const isFungible = ({ serial_number }: AirdropRow): boolean => serial_number === '0';

const airdropJson = (row: AirdropRow): string =>
  `{"amount":${integerJson(row.amount)},"receiver_id":${entityIdJson(row.receiver_account_id)},` +
  `"sender_id":${entityIdJson(row.sender_account_id)},"serial_number":${isFungible(row) ? 'null' : row.serial_number},` +
  `"timestamp":{"from":${timestampJson(row.valid_from)},"to":${timestampJson(row.valid_to)}},` +
  `"token_id":${entityIdJson(row.token_id)}}`;

interface AirdropFilters {
  readonly limit: number;
  readonly order: Order;
  readonly others: readonly Comparison[];
  readonly serialNumbers: readonly Comparison[];
  readonly tokens: readonly Comparison[];
}

const refuseUnequal = (key: string, comparisons: readonly Comparison[]): void => {
  if (comparisons.some(({ operator }) => operator === 'ne')) {
    throw reasonedProblem(400, `Unsupported range operator ne for ${key}`);
  }
};

const refuseEmptyRange = (comparisons: readonly Comparison[]): void => {
  const { lower, upper } = boundsOf(comparisons);
  if (lower !== null && upper !== null && lower > upper) {
    throw reasonedProblem(400, 'Invalid range provided for account.id');
  }
};

const filtersOf = ({ query }: RestRequest, context: RouteContext, { otherKey }: AirdropList): AirdropFilters => {
  const filters = {
    limit: javaLimit(query),
    order: javaOrder(query),
    others: javaIdComparisons(query, otherKey, context),
    serialNumbers: javaNumberComparisons(query, 'serialnumber'),
    tokens: javaIdComparisons(query, 'token.id', context),
  };
  refuseFaults([
    ...limitFaults(filters.limit),
    ...[otherKey, 'serialnumber', 'token.id'].flatMap((key) => countFaults(query, key)),
  ]);
  refuseUnequal(otherKey, filters.others);
  refuseUnequal('serialnumber', filters.serialNumbers);
  refuseUnequal('token.id', filters.tokens);
  refuseEmptyRange(filters.others);
  return filters;
};

const columnsOf = (filters: AirdropFilters, { otherColumn }: AirdropList): readonly OrderedColumn[] => [
  { column: otherColumn, bounds: boundsOf(filters.others) },
  { column: 'token_id', bounds: boundsOf(filters.tokens) },
  { column: 'serial_number', bounds: boundsOf(filters.serialNumbers) },
];

const readAirdrops = async (
  accountId: EntityId,
  filters: AirdropFilters,
  list: AirdropList,
  db: RouteContext['db'],
): Promise<readonly AirdropRow[]> => {
  const columns = columnsOf(filters, list);
  const builder = statementBuilder();
  const stretch = orderedConditions(builder, columns);
  if (stretch === undefined) return [];
  const conditions = [`${list.ownColumn} = ${builder.bind(accountId)}::bigint`, "state = 'PENDING'", ...stretch];
  const order = columns.map(({ column }) => `${column} ${filters.order}`).join(', ');
  const text =
    'select amount, receiver_account_id, sender_account_id, serial_number, token_id, ' +
    'lower(timestamp_range) as valid_from, upper(timestamp_range) as valid_to ' +
    `from token_airdrop${whereClause(conditions)} order by ${order} limit ${builder.bind(filters.limit)}`;
  return db.query<AirdropRow>(text, builder.values, statementName(text));
};

const hasEquality = (comparisons: readonly Comparison[]): boolean =>
  comparisons.some(({ operator }) => operator === 'eq');

const linkAfter = (
  request: RestRequest,
  last: AirdropRow,
  filters: AirdropFilters,
  { otherColumn, otherKey }: AirdropList,
): string | null => {
  const other = { key: otherKey, value: formatEntityId(last[otherColumn]), pinned: hasEquality(filters.others) };
  const token = { key: 'token.id', value: formatEntityId(last.token_id), pinned: hasEquality(filters.tokens) };
  const serialNumber = {
    key: 'serialnumber',
    value: last.serial_number,
    pinned: hasEquality(filters.serialNumbers),
  };
  const known = [otherKey, 'limit', 'order', 'serialnumber', 'token.id'];
  return isFungible(last)
    ? javaNextLink(request, filters.order, [other, token], known, ['serialnumber'])
    : javaNextLink(request, filters.order, [other, token, serialNumber], known);
};

const answerList = async (request: RestRequest, context: RouteContext, list: AirdropList): Promise<RestAnswer> => {
  const reference = readJavaAccountReference(request.pathParameters.idOrAliasOrEvmAddress ?? '', context);
  const filters = filtersOf(request, context, list);
  const accountId = await resolveJavaReference(context.db, reference);
  const rows = await readAirdrops(accountId, filters, list, context.db);
  const last = rows.at(-1);
  const next = last === undefined || rows.length < filters.limit ? null : linkAfter(request, last, filters, list);
  const body = `{"airdrops":[${rows.map(airdropJson).join(',')}],"links":${linksJson(next)}}`;
  return { status: 200, body, link: next };
};

const parametersOf = (otherKey: string, otherDescription: string) => [
  {
    name: 'idOrAliasOrEvmAddress',
    in: 'path',
    required: true,
    description: 'Id, EVM address or base32 alias of the account.',
    schema: { type: 'string' },
    example: '0.0.1001',
  } as const,
  {
    ...limitParameterDoc,
    schema: { type: 'integer', minimum: 1, maximum: maxJavaLimit, default: defaultJavaLimit },
    description: 'Most entries on one page.',
  },
  orderParameterDoc('asc'),
  idParameterDoc(otherKey, otherDescription),
  serialNumberParameterDoc,
  idParameterDoc('token.id', 'Token'),
];

const common = {
  method: 'GET',
  flavour: 'java',
} as const;

export const airdropRoutes: readonly Route[] = [
  {
    ...common,
    path: '/api/v1/accounts/{idOrAliasOrEvmAddress}/airdrops/outstanding',
    operation: {
      operationId: 'getOutstandingTokenAirdrops',
      summary: 'List the airdrops an account sent that nobody has claimed',
      description:
        'Ordered by receiver, token and serial number; bounds of the later ones count at those of the earlier.',
      tags: ['airdrops'],
      parameters: parametersOf('receiver.id', 'Receiver'),
      answer: { description: 'One page of airdrops.', schema: airdropsSchema },
      problems: [400, 404],
      schemas: airdropSchemas,
    },
    handle: (request, context) => answerList(request, context, outstanding),
  },
  {
    ...common,
    path: '/api/v1/accounts/{idOrAliasOrEvmAddress}/airdrops/pending',
    operation: {
      operationId: 'getPendingTokenAirdrops',
      summary: 'List the airdrops an account may claim',
      description:
        'Ordered by sender, token and serial number; bounds of the later ones count at those of the earlier.',
      tags: ['airdrops'],
      parameters: parametersOf('sender.id', 'Sender'),
      answer: { description: 'One page of airdrops.', schema: airdropsSchema },
      problems: [400, 404],
      schemas: airdropSchemas,
    },
    handle: (request, context) => answerList(request, context, pending),
  },
];
