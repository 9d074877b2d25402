/**
 * `/api/v1/contracts/results/logs` and `/api/v1/contracts/{contractIdOrAddress}/results/logs`: what contracts logged.
 * Reads `contract_log`, `entity` for addresses, `record_file` for blocks and `transaction_hash`.
 */
import type { Interval } from '../../api/bounds.ts';
import { numberPosition } from '../../api/entity-position.ts';
import { nextLink, type Order, timestampPosition } from '../../api/page.ts';
import { type PairedBounds, pairedConditions, pairedNextLink } from '../../api/paired-bounds.ts';
import type { Filter, GroupedQuery } from '../../api/query.ts';
import { endpoint, pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import type { ResourceRow } from '../../api/resource/resource.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import { intervalConditions, type StatementBuilder, statementBuilder, whereClause } from '../../api/sql.ts';
import { type SteppedResult, searchInSteps } from '../../api/stepped-search.ts';
import { type BoundInterval, bindTimestampRange } from '../../api/timestamp-filter.ts';
import type { Reader } from '../../database/connection.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { formatTimestamp, MAX_NANOS } from '../../ledger/timestamp.ts';
import { contractLog } from './contract-log.ts';
import { contractPath, contractTextOf, findContractId } from './contract-reference.ts';
import {
  checkTopicTimes,
  contractLogParameters,
  type LogFilters,
  logFilters,
  logParameters,
  withSingleTime,
} from './log-filters.ts';

type LogRow = ResourceRow<'consensusTimestamp' | 'index'>;

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

const findLogs = (search: LogSearch, db: Reader): Promise<readonly LogRow[]> => {
  const builder = statementBuilder();
  const page = `select * from contract_log${whereClause(logConditions(builder, search))}
    order by consensus_timestamp ${search.order}, index ${search.order} limit ${builder.bind(search.limit)}`;
  const withBlocks = `select l.*, e.evm_address, r.hash as block_hash, r.index as block_number from (${page}) l
    left join entity e on e.id = l.contract_id
    left join lateral (select hash, index, consensus_start from record_file
      where consensus_end >= l.consensus_timestamp order by consensus_end limit 1) r
      on r.consensus_start <= l.consensus_timestamp`;
  const orderBy = `p.consensus_timestamp ${search.order}, p.index ${search.order}`;
  return contractLog.read(db, contractLog.statement(withBlocks, orderBy), builder.values);
};

/** No index holds topics: their logs may lie far apart among many others. */
const readLogs = async (search: LogSearch, context: RouteContext): Promise<SteppedResult<LogRow>> => {
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
  rows: readonly LogRow[],
  windowEnd: bigint | null,
): string | null => {
  const last = rows.at(-1);
  const isFull = last !== undefined && rows.length >= search.limit;
  if (!isFull && windowEnd === null) return null;
  const time = timestampPosition(formatTimestamp(isFull ? last.consensusTimestamp : (windowEnd as bigint)));
  if (last === undefined) return nextLink(request, query, search.order, [{ ...time, inclusive: true }]);
  const index = numberPosition('index', last.index);
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

const noLogs = pageAnswer('logs', [], contractLog.put, null);

interface LogAsk {
  readonly request: RestRequest;
  readonly grouped: GroupedQuery;
  readonly query: { readonly order: Order; readonly limit: (times: Interval) => Promise<number> };
}

const answerLogs = async (
  { request, grouped, query: { order, limit } }: LogAsk,
  filters: readonly Filter[],
  contractId: EntityId | undefined,
  context: RouteContext,
): Promise<RestAnswer> => {
  const read = logFilters(filters);
  const { times } = read;
  if (times === undefined) return noLogs;
  const { interval, next } = await searchedTimes({ ...read, times }, contractId, order, context);
  const search: LogSearch = { ...read, contractId, times: interval, order, limit: await limit(times) };
  const { rows, examinedTo } = await readLogs(search, context);
  const link =
    examinedTo === null
      ? logsLink(request, grouped, search, rows, next)
      : nextLink(request, withoutPassedIndex(grouped, order), order, [timestampPosition(formatTimestamp(examinedTo))]);
  return pageAnswer('logs', rows, contractLog.put, link);
};

const description =
  'Newest first unless ordered otherwise. When the timestamps lie within one block, a page may hold up to 5,000 logs ' +
  'instead of the usual limit. A search for rare topics that takes too long ends early: the page then holds what was ' +
  'found, perhaps nothing, and `links.next` goes on from there.';

const answer = pageOf('logs', contractLog, 'One page of logs.');

export const logList = endpoint({
  path: '/api/v1/contracts/results/logs',
  flavour: 'js',
  cacheSeconds: 10,
  operationId: 'getContractsLogs',
  summary: 'List the logs of all contracts',
  description,
  tag: 'contracts',
  refusals: 'sorted',
  parameters: logParameters,
  answer,
  problems: [400],

  handle: async (ask, context) => {
    const filters = withSingleTime(ask.filters);
    checkTopicTimes(filters, context.settings.query.maxTimestampRange);
    return answerLogs(ask, filters, undefined, context);
  },
});

export const contractLogList = endpoint({
  path: '/api/v1/contracts/{contractIdOrAddress}/results/logs',
  flavour: 'js',
  operationId: 'getContractLogsByContractId',
  summary: 'List the logs of a contract',
  description,
  tag: 'contracts',
  refusals: 'sorted',
  pathParameters: contractPath,
  parameters: contractLogParameters,
  answer,
  problems: [400],

  resolve: ({ request }) => contractTextOf(request),

  handle: async (ask, context) => {
    const filters = withSingleTime(ask.filters);
    checkTopicTimes(filters, context.settings.query.maxTimestampRange);
    const contractId = await findContractId(ask.subject, context);
    return contractId === undefined ? noLogs : answerLogs(ask, filters, contractId, context);
  },
});
