/**
 * `/api/v1/contracts/results/logs` and `/api/v1/contracts/{contractIdOrAddress}/results/logs`: what contracts logged.
 * Reads `contract_log`, `entity` for addresses, `record_file` for blocks and `transaction_hash`.
 */
import type { Interval } from '../../api/bounds.ts';
import { numberPosition } from '../../api/entity-position.ts';
import { linksJson } from '../../api/json.ts';
import { nextLink, type Order, orderOf, timestampPosition } from '../../api/page.ts';
import { type PairedBounds, pairedConditions, pairedNextLink } from '../../api/paired-bounds.ts';
import { acceptSorted, type Filter, type GroupedQuery, groupQuery } from '../../api/query.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import {
  intervalConditions,
  type StatementBuilder,
  statementBuilder,
  statementName,
  whereClause,
} from '../../api/sql.ts';
import { type SteppedResult, searchInSteps } from '../../api/stepped-search.ts';
import { type BoundInterval, bindTimestampRange } from '../../api/timestamp-filter.ts';
import type { Queryable } from '../../database/connection.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { formatTimestamp, MAX_NANOS } from '../../ledger/timestamp.ts';
import { pageSizeWithin } from './block-page.ts';
import { type ContractLogRow, contractLogColumns, contractLogJson } from './contract-log-json.ts';
import { contractTextOf, findContractId } from './contract-reference.ts';
import {
  checkTopicTimes,
  contractLogParameters,
  type LogFilters,
  logFilters,
  logParameters,
  withSingleTime,
} from './log-filters.ts';

const HASH_PREFIX_LENGTH = 32;

interface LogSearch extends LogFilters {
  readonly contractId: EntityId | undefined;
  readonly times: Interval;
  readonly order: Order;
  readonly limit: number;
}

/** The first transaction, in the order of the list, that has the hash; 32 bytes may be the start of a longer one. */
const timeOfHash = (builder: StatementBuilder, hash: Buffer, { times, order }: LogSearch): string => {
  const prefix = hash.subarray(0, HASH_PREFIX_LENGTH);
  const conditions = [
    `substring(hash from 1 for ${HASH_PREFIX_LENGTH}) = ${builder.bind(prefix)}::bytea`,
    `mod(get_byte(hash, 0), 32) = ${builder.bind((prefix[0] as number) % 32)}`,
    ...(hash.length === HASH_PREFIX_LENGTH
      ? []
      : [`hash || coalesce(hash_suffix, ''::bytea) = ${builder.bind(hash)}::bytea`]),
    ...intervalConditions(builder, 'consensus_timestamp', times),
  ];
  return `(select consensus_timestamp from transaction_hash${whereClause(conditions)}
    order by consensus_timestamp ${order} limit 1)`;
};

/** Bounds whose values the database can hold. Times lie before the end of int8, whatever the upper bound. */
const storable = ({ primary, secondary }: PairedBounds): PairedBounds => {
  const { upper } = primary;
  return upper === undefined || upper.value <= MAX_NANOS
    ? { primary, secondary }
    : { primary: { ...primary, upper: undefined }, secondary };
};

const columns = { primary: 'consensus_timestamp', secondary: 'index' } as const;

const isFilteredByIndex = ({ secondary }: PairedBounds): boolean =>
  secondary.equal !== undefined || secondary.lower !== undefined || secondary.upper !== undefined;

const logConditions = (builder: StatementBuilder, search: LogSearch): string[] => [
  ...(search.contractId === undefined ? [] : [`contract_id = ${builder.bind(search.contractId)}::bigint`]),
  ...intervalConditions(builder, 'consensus_timestamp', search.times),
  ...(isFilteredByIndex(search.bounds) ? pairedConditions(builder, columns, storable(search.bounds)) : []),
  ...(search.transactionHash === undefined
    ? []
    : [`consensus_timestamp = ${timeOfHash(builder, search.transactionHash, search)}`]),
  ...[...search.topics].map(([topic, values]) => `${topic} = any (${builder.bind(values)}::bytea[])`),
];

const findLogs = (search: LogSearch, db: Queryable): Promise<readonly ContractLogRow[]> => {
  const builder = statementBuilder();
  const page = `select * from contract_log${whereClause(logConditions(builder, search))}
    order by consensus_timestamp ${search.order}, index ${search.order} limit ${builder.bind(search.limit)}`;
  const text = `select ${contractLogColumns} from (${page}) l
    left join entity e on e.id = l.contract_id
    left join lateral (select hash, index, consensus_start from record_file
      where consensus_end >= l.consensus_timestamp order by consensus_end limit 1) r
      on r.consensus_start <= l.consensus_timestamp
    order by l.consensus_timestamp ${search.order}, l.index ${search.order}`;
  return db.query<ContractLogRow>(text, builder.values, statementName(text));
};

/** No index holds topics: their logs may lie far apart among many others. */
const readLogs = async (search: LogSearch, context: RouteContext): Promise<SteppedResult<ContractLogRow>> => {
  const isSparse = search.topics.size > 0 && search.transactionHash === undefined;
  if (!isSparse) return { rows: await findLogs(search, context.db), examinedTo: null };
  return searchInSteps(
    {
      interval: search.times,
      order: search.order,
      limit: search.limit,
      tables: ['contract_log'],
      find: (db, times, limit) => findLogs({ ...search, times, limit }, db),
    },
    context,
  );
};

/** Only lists of all contracts' logs are cut to a window; an index on the contract finds those of one. */
const searchedTimes = async (
  { bounds, times, transactionHash }: LogFilters & { readonly times: Interval },
  contractId: EntityId | undefined,
  order: Order,
  context: RouteContext,
): Promise<BoundInterval> => {
  if (contractId !== undefined || transactionHash !== undefined || bounds.primary.equal !== undefined) {
    return { interval: times, next: null };
  }
  return bindTimestampRange(times, order, context.settings.query, context.db, context.clock);
};

/** The link to the logs after a page, or to those after the window when that holds no full page. */
const logsLink = (
  request: RestRequest,
  query: GroupedQuery,
  search: LogSearch,
  rows: readonly ContractLogRow[],
  windowEnd: bigint | null,
): string | null => {
  const last = rows.at(-1);
  const isFull = last !== undefined && rows.length >= search.limit;
  if (!isFull && windowEnd === null) return null;
  const time = timestampPosition(formatTimestamp(isFull ? last.consensus_timestamp : (windowEnd as bigint)));
  if (last === undefined) return nextLink(request, query, search.order, [{ ...time, inclusive: true }]);
  const index = numberPosition('index', last.index.toString());
  return pairedNextLink(request, query, search.order, search.bounds, { primary: time, secondary: index });
};

/** The query without the bounds of the index that belong to the bound of time which the next page replaces. */
const withoutPassedIndex = (query: GroupedQuery, order: Order): GroupedQuery => {
  const next = new Map(query);
  const kept = query.get('index')?.filter((value) => !(order === 'asc' ? /^gte?:/ : /^lte?:/).test(value ?? ''));
  if (kept === undefined || kept.length === 0) next.delete('index');
  else next.set('index', kept);
  return next;
};

const noLogs: RestAnswer = { status: 200, body: '{"logs":[],"links":{"next":null}}' };

const answerLogs = async (
  request: RestRequest,
  query: GroupedQuery,
  filters: readonly Filter[],
  contractId: EntityId | undefined,
  context: RouteContext,
): Promise<RestAnswer> => {
  const read = logFilters(filters);
  const { times } = read;
  const order = orderOf(filters, 'desc');
  if (times === undefined) return noLogs;
  const { interval, next } = await searchedTimes({ ...read, times }, contractId, order, context);
  const limit = await pageSizeWithin(times, filters, request, context);
  const search: LogSearch = { ...read, contractId, times: interval, order, limit };
  const { rows, examinedTo } = await readLogs(search, context);
  const link =
    examinedTo === null
      ? logsLink(request, query, search, rows, next)
      : nextLink(request, withoutPassedIndex(query, order), order, [timestampPosition(formatTimestamp(examinedTo))]);
  return { status: 200, body: `{"logs":[${rows.map(contractLogJson).join(',')}],"links":${linksJson(link)}}`, link };
};

const acceptLogFilters = (
  query: GroupedQuery,
  parameters: typeof logParameters,
  { settings }: RouteContext,
): readonly Filter[] => {
  const filters = withSingleTime(acceptSorted(query, parameters, settings.query));
  checkTopicTimes(filters, settings.query.maxTimestampRange);
  return filters;
};

export const listLogs = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const query = groupQuery(request.query);
  return answerLogs(request, query, acceptLogFilters(query, logParameters, context), undefined, context);
};

export const listContractLogs = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const contract = contractTextOf(request);
  const query = groupQuery(request.query);
  const filters = acceptLogFilters(query, contractLogParameters, context);
  const contractId = await findContractId(contract, context);
  return contractId === undefined ? noLogs : answerLogs(request, query, filters, contractId, context);
};
