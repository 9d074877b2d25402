/**
 * `/api/v1/contracts/results`: results of all contracts, with their blocks and Ethereum transactions.
 * `/api/v1/contracts/{contractIdOrAddress}/results`: results of one contract.
 */
import type { Interval } from '../../api/bounds.ts';
import { linksJson } from '../../api/json.ts';
import { limitOf, nextLink, orderOf, timestampPosition } from '../../api/page.ts';
import { type Filter, groupQuery } from '../../api/query.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import { statementName } from '../../api/sql.ts';
import { type SteppedResult, searchInSteps } from '../../api/stepped-search.ts';
import { bindTimestampRange } from '../../api/timestamp-filter.ts';
import type { Queryable } from '../../database/connection.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { formatTimestamp, type Nanos } from '../../ledger/timestamp.ts';
import { pageSizeWithin } from '../contracts/block-page.ts';
import { contractTextOf, findContractId } from '../contracts/contract-reference.ts';
import { readGasPrices } from './gas-price.ts';
import {
  acceptResultFilters,
  internalOf,
  resultTimeBounds,
  sendersOf,
  timestampsWithin,
  transactionIndexesOf,
  unitOf,
} from './result-filters.ts';
import {
  type BlockResultRow,
  blockResultJson,
  briefResultJson,
  contractResultJson,
  type ResultRow,
} from './result-json.ts';
import { blockResultsStatement, type ResultSearch, resultsStatement, type Statement } from './result-search.ts';
import type { AmountUnit } from './weibar.ts';

interface List {
  readonly search: ResultSearch;
  /** Where the search goes on after the window that it was cut to; null when it was not. */
  readonly next: Nanos | null;
}

/** Undefined when the filters exclude each other, or name a block that is not there. */
const listOf = async (
  request: RestRequest,
  filters: readonly Filter[],
  contract: EntityId | undefined,
  context: RouteContext,
): Promise<List | undefined> => {
  const { settings } = context;
  const order = orderOf(filters, 'desc');
  const senders = await sendersOf(filters, context);
  const bounds = await resultTimeBounds(filters, context);
  const within = bounds === undefined ? undefined : timestampsWithin(bounds);
  if (within === undefined) return undefined;
  const isWindow = contract === undefined && bounds?.equal.length === 0;
  const { interval, next }: { interval: ResultSearch['timestamps']; next: Nanos | null } = isWindow
    ? await bindTimestampRange(within as Interval, order, settings.query, context.db, context.clock)
    : { interval: within, next: null };
  const namesSender = senders.ids !== undefined || senders.comparisons.length > 0;
  const listsSynthetic =
    contract === undefined ? settings.query.syntheticContractResults : settings.query.syntheticContractIdResults;
  const search: ResultSearch = {
    contract,
    senders: senders.ids,
    senderComparisons: senders.comparisons,
    timestamps: interval,
    transactionIndexes: transactionIndexesOf(filters),
    internal: internalOf(filters),
    // A synthetic result has a payer only, and no index finds it by that.
    synthetic: listsSynthetic && !namesSender,
    order,
    limit:
      'excluded' in within
        ? await pageSizeWithin(within, filters, request, context)
        : limitOf(filters, settings.response.limit, request.user),
  };
  return { search, next };
};

/** Callers, contracts and results of transactions that others caused may lie far apart. */
const readResults = async <R extends ResultRow>(
  search: ResultSearch,
  statementOf: (search: ResultSearch) => Statement,
  context: RouteContext,
): Promise<SteppedResult<R>> => {
  const find = (db: Queryable, part: ResultSearch): Promise<readonly R[]> => {
    const { text, values } = statementOf(part);
    return db.query<R>(text, values, statementName(text));
  };
  const { timestamps, order, limit } = search;
  if (!('excluded' in timestamps)) return { rows: await find(context.db, search), examinedTo: null };
  return searchInSteps(
    {
      interval: timestamps,
      order,
      limit,
      tables: ['contract_result', 'contract_log'],
      find: (db, times, most) => find(db, { ...search, timestamps: times, limit: most }),
    },
    context,
  );
};

const noResults: SteppedResult<ResultRow> = { rows: [], examinedTo: null };

const pageAnswer = (
  request: RestRequest,
  list: List | undefined,
  { rows, examinedTo }: SteppedResult<ResultRow>,
  results: readonly string[],
): RestAnswer => {
  const last = rows.length === list?.search.limit ? rows.at(-1)?.consensus_timestamp : (examinedTo ?? list?.next);
  const next =
    last === undefined || last === null || list === undefined
      ? null
      : nextLink(request, groupQuery(request.query), list.search.order, [timestampPosition(formatTimestamp(last))]);
  return { status: 200, body: `{"results":[${results.join(',')}],"links":${linksJson(next)}}`, link: next };
};

const blockResultsJson = async (
  rows: readonly BlockResultRow[],
  unit: AmountUnit,
  write: typeof blockResultJson,
  context: RouteContext,
): Promise<string[]> => {
  const unpriced = rows.filter((row) => row.ethereum_type === null);
  const format = {
    unit,
    chainId: context.settings.chainId,
    showsAuthorizationList: context.settings.response.enableDelegationAddress,
    gasPrice: await readGasPrices(
      unpriced.map((row) => row.consensus_timestamp),
      context,
    ),
  };
  return rows.map((row) => write(row, format));
};

export const listAllResults = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const query = groupQuery(request.query);
  const filters = acceptResultFilters(query, context);
  const unit = unitOf(query);
  const list = await listOf(request, filters, undefined, context);
  if (list === undefined) return pageAnswer(request, undefined, noResults, []);
  const found = await readResults<BlockResultRow>(list.search, blockResultsStatement, context);
  return pageAnswer(request, list, found, await blockResultsJson(found.rows, unit, blockResultJson, context));
};

export const listContractResults = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const contractText = contractTextOf(request);
  const query = groupQuery(request.query);
  const filters = acceptResultFilters(query, context);
  const isBrief = context.settings.response.briefContractResults;
  // Brief results have no prices, and their amounts are tinybars whatever `hbar` says.
  const unit = isBrief ? 'tinybar' : unitOf(query);
  const contract = await findContractId(contractText, context);
  const list = contract === undefined ? undefined : await listOf(request, filters, contract, context);
  if (list === undefined) return pageAnswer(request, undefined, noResults, []);
  if (isBrief) {
    const found = await readResults<ResultRow>(list.search, resultsStatement, context);
    return pageAnswer(request, list, found, found.rows.map(briefResultJson));
  }
  const found = await readResults<BlockResultRow>(list.search, blockResultsStatement, context);
  return pageAnswer(request, list, found, await blockResultsJson(found.rows, unit, contractResultJson, context));
};
