/**
 * `/api/v1/accounts/{id}/airdrops/...`: airdrops that wait to be claimed
 * ([HIP-904](https://hips.hedera.com/hip/hip-904)), those an account sent and those it may receive. Both are ordered by
 * the other account, the token and the serial number.
 */
import { boundsOf, type Comparison } from '../../api/bounds.ts';
import { readJavaAccountReference, resolveJavaReference } from '../../api/java-account-lookup.ts';
import { countFaults, limitFaults, refuseFaults } from '../../api/java-parameters.ts';
import { javaNextLink, type OrderedColumn, orderedConditions } from '../../api/java-ranges.ts';
import type { Order } from '../../api/page.ts';
import { reasonedProblem } from '../../api/problem.ts';
import { pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import { javaEndpoint } from '../../api/resource/java-endpoint.ts';
import { entityIds, limit, order, serialNumbers } from '../../api/resource/java-parameter.ts';
import type { RestAnswer, RestRequest, Route, RouteContext } from '../../api/route.ts';
import { statementBuilder, whereClause } from '../../api/sql.ts';
import { type EntityId, formatEntityId } from '../../ledger/entity-id.ts';
import { accountPath } from '../accounts/account-parameters.ts';
import { airdrop, FUNGIBLE } from './airdrop.ts';

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

type AirdropRow = Awaited<ReturnType<typeof airdrop.read>>[number];

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

interface AirdropAsk {
  readonly request: RestRequest;
  readonly path: { readonly idOrAliasOrEvmAddress: string };
  readonly query: {
    readonly limit: number;
    readonly order: Order;
    readonly 'receiver.id'?: readonly Comparison[];
    readonly 'sender.id'?: readonly Comparison[];
    readonly serialnumber: readonly Comparison[];
    readonly 'token.id': readonly Comparison[];
  };
}

const filtersOf = (ask: AirdropAsk, { otherKey }: AirdropList): AirdropFilters => {
  const { limit, order } = ask.query;
  const filters = {
    limit,
    order,
    others: ask.query[otherKey] ?? [],
    serialNumbers: ask.query.serialnumber,
    tokens: ask.query['token.id'],
  };
  refuseFaults([
    ...limitFaults(limit),
    ...[otherKey, 'serialnumber', 'token.id'].flatMap((key) => countFaults(ask.request.query, key)),
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
  const orderOn = (row: string) => columns.map(({ column }) => `${row}${column} ${filters.order}`).join(', ');
  const page =
    `select * from token_airdrop${whereClause(conditions)} ` +
    `order by ${orderOn('')} limit ${builder.bind(filters.limit)}`;
  return airdrop.read(db, airdrop.statement(page, orderOn('p.')), builder.values);
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
  const token = { key: 'token.id', value: formatEntityId(last.tokenId), pinned: hasEquality(filters.tokens) };
  const serialNumber = {
    key: 'serialnumber',
    value: last.serialNumber,
    pinned: hasEquality(filters.serialNumbers),
  };
  const known = [otherKey, 'limit', 'order', 'serialnumber', 'token.id'];
  return last.serialNumber === FUNGIBLE
    ? javaNextLink(request, filters.order, [other, token], known, ['serialnumber'])
    : javaNextLink(request, filters.order, [other, token, serialNumber], known);
};

const answer = pageOf('airdrops', airdrop, 'One page of airdrops.');

const common = { tag: 'airdrops', pathParameters: accountPath, answer, problems: [400, 404] };

const [receivers, senders, tokens] = [entityIds('Receiver'), entityIds('Sender'), entityIds('Token')];

const answerList = async (ask: AirdropAsk, list: AirdropList, context: RouteContext): Promise<RestAnswer> => {
  const reference = readJavaAccountReference(ask.path.idOrAliasOrEvmAddress, context);
  const filters = filtersOf(ask, list);
  const accountId = await resolveJavaReference(context.db, reference);
  const rows = await readAirdrops(accountId, filters, list, context.db);
  const last = rows.at(-1);
  const next = last === undefined || rows.length < filters.limit ? null : linkAfter(ask.request, last, filters, list);
  return pageAnswer('airdrops', rows, airdrop.put, next);
};

const outstandingAirdrops = javaEndpoint({
  ...common,
  path: '/api/v1/accounts/{idOrAliasOrEvmAddress}/airdrops/outstanding',
  operationId: 'getOutstandingTokenAirdrops',
  summary: 'List the airdrops an account sent that nobody has claimed',
  description: 'Ordered by receiver, token and serial number; bounds of the later ones count at those of the earlier.',
  parameters: { limit, order: order('asc'), 'receiver.id': receivers, serialnumber: serialNumbers, 'token.id': tokens },
  handle: (ask, context) => answerList(ask, outstanding, context),
});

const pendingAirdrops = javaEndpoint({
  ...common,
  path: '/api/v1/accounts/{idOrAliasOrEvmAddress}/airdrops/pending',
  operationId: 'getPendingTokenAirdrops',
  summary: 'List the airdrops an account may claim',
  description: 'Ordered by sender, token and serial number; bounds of the later ones count at those of the earlier.',
  parameters: { limit, order: order('asc'), 'sender.id': senders, serialnumber: serialNumbers, 'token.id': tokens },
  handle: (ask, context) => answerList(ask, pending, context),
});

export const airdropRoutes: readonly Route[] = [outstandingAirdrops, pendingAirdrops];
