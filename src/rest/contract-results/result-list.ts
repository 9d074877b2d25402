/**
 * `/api/v1/contracts/results`: results of all contracts, with their blocks and Ethereum transactions.
 * `/api/v1/contracts/{contractIdOrAddress}/results`: results of one contract.
 */
import { everything, type Interval } from '../../api/bounds.ts';
import { nextLink, timestampPosition } from '../../api/page.ts';
import { type Ask, endpoint, pageAnswer, pageOf, putJson } from '../../api/resource/endpoint.ts';
import type { RestAnswer, RouteContext } from '../../api/route.ts';
import { inSnapshot } from '../../api/snapshot.ts';
import { statementName } from '../../api/sql.ts';
import { type SteppedResult, searchInSteps } from '../../api/stepped-search.ts';
import { bindTimestampRange } from '../../api/timestamp-filter.ts';
import type { Reader } from '../../database/connection.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { formatTimestamp, type Nanos } from '../../ledger/timestamp.ts';
import { contractPath, contractTextOf, findContractId } from '../contracts/contract-reference.ts';
import { readGasPrices } from './gas-price.ts';
import { blockResult, briefResult, contractResult } from './result.ts';
import type { BlockResultRow, ResultRow } from './result-columns.ts';
import {
  checkResultParameters,
  resultParameters,
  resultTimeBounds,
  sendersOf,
  timestampsWithin,
  unitOf,
} from './result-filters.ts';
import { blockResultsStatement, type ResultSearch, resultsStatement, type Statement } from './result-search.ts';
import type { AmountUnit } from './weibar.ts';

interface List {
  readonly search: ResultSearch;
  /** Where the search goes on after the window that it was cut to; null when it was not. */
  readonly next: Nanos | null;
}

type ResultAsk = Ask<typeof resultParameters, Record<string, never>, unknown>;

/** Undefined when the filters exclude each other, or name a block that is not there. */
const listOf = async (
  query: ResultAsk['query'],
  contract: EntityId | undefined,
  context: RouteContext,
): Promise<List | undefined> => {
  const { settings } = context;
  const { order } = query;
  const senders = await sendersOf(query.from, context);
  const named = query['block.hash'].at(-1) ?? query['block.number'].at(-1);
  const bounds = await resultTimeBounds(query.timestamp, named, context);
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
    transactionIndexes: query['transaction.index'],
    internal: query.internal,
    // A synthetic result has a payer only, and no index finds it by that.
    synthetic: listsSynthetic && !namesSender,
    order,
    limit: await query.limit('excluded' in within ? within : everything),
  };
  return { search, next };
};

/** Callers, contracts and results of transactions that others caused may lie far apart. */
const readResults = async <R extends ResultRow>(
  search: ResultSearch,
  statementOf: (search: ResultSearch) => Statement,
  context: RouteContext,
): Promise<SteppedResult<R>> => {
  const find = (db: Reader, part: ResultSearch): Promise<readonly R[]> => {
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

const readList = async <R extends ResultRow>(
  list: List | undefined,
  statementOf: (search: ResultSearch) => Statement,
  context: RouteContext,
): Promise<{ readonly list: List | undefined; readonly found: SteppedResult<R> }> => ({
  list,
  found: list === undefined ? { rows: [], examinedTo: null } : await readResults<R>(list.search, statementOf, context),
});

const answerOf = (
  { request, grouped }: Pick<ResultAsk, 'request' | 'grouped'>,
  list: List | undefined,
  { rows, examinedTo }: SteppedResult<ResultRow>,
  results: readonly string[],
): RestAnswer => {
  const last = rows.length === list?.search.limit ? rows.at(-1)?.consensus_timestamp : (examinedTo ?? list?.next);
  const next =
    last === undefined || last === null || list === undefined
      ? null
      : nextLink(request, grouped, list.search.order, [timestampPosition(formatTimestamp(last))]);
  return pageAnswer('results', results, putJson, next);
};

/** Prices of past times never change, so they are read outside of the snapshot of the results, on whatever connection is free. */
const blockResultsJson = async (
  rows: readonly BlockResultRow[],
  unit: AmountUnit,
  { json }: typeof blockResult,
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
  return rows.map((row) => json({ row, format }));
};

const searchNote =
  'A search for rare results that takes too long ends early: the page then holds what was found, perhaps nothing, and ' +
  '`links.next` goes on from there.';

export const resultList = endpoint({
  path: '/api/v1/contracts/results',
  flavour: 'js',
  cacheSeconds: 10,
  operationId: 'getContractsResults',
  summary: 'List the results of all contracts',
  description:
    'Newest first unless ordered otherwise. Token transfers outside of contracts are listed as calls of the token when ' +
    `they left logs, except under \`from\`. ${searchNote}`,
  tag: 'contracts',
  refusals: 'sorted',
  parameters: resultParameters,
  answer: pageOf('results', blockResult, 'One page of results.'),
  problems: [400, 404],

  handle: async (ask, context) => {
    checkResultParameters(ask.grouped);
    const unit = unitOf(ask.grouped);
    const { list, found } = await inSnapshot(context, async (snapshot) =>
      readList<BlockResultRow>(await listOf(ask.query, undefined, snapshot), blockResultsStatement, snapshot),
    );
    return answerOf(ask, list, found, await blockResultsJson(found.rows, unit, blockResult, context));
  },
});

export const contractResultList = endpoint({
  path: '/api/v1/contracts/{contractIdOrAddress}/results',
  flavour: 'js',
  operationId: 'getContractResultsByContractId',
  summary: 'List the results of a contract',
  description:
    'Newest first unless ordered otherwise. Nothing for a contract that is not known. Where the server is set to brief ' +
    `results, only required members are shown and \`hbar\` has no effect. ${searchNote}`,
  tag: 'contracts',
  refusals: 'sorted',
  pathParameters: contractPath,
  parameters: resultParameters,
  answer: pageOf('results', contractResult, 'One page of results.'),
  problems: [400, 404],

  resolve: ({ request }) => contractTextOf(request),

  handle: async (ask, context) => {
    checkResultParameters(ask.grouped);
    const listIn = async (snapshot: RouteContext): Promise<List | undefined> => {
      const contract = await findContractId(ask.subject, snapshot);
      return contract === undefined ? undefined : listOf(ask.query, contract, snapshot);
    };
    if (context.settings.response.briefContractResults) {
      // Brief results have no prices, and their amounts are tinybars whatever `hbar` says.
      const { list, found } = await inSnapshot(context, async (snapshot) =>
        readList(await listIn(snapshot), resultsStatement, snapshot),
      );
      return answerOf(
        ask,
        list,
        found,
        found.rows.map((row) => briefResult.json({ row })),
      );
    }
    const unit = unitOf(ask.grouped);
    const { list, found } = await inSnapshot(context, async (snapshot) =>
      readList<BlockResultRow>(await listIn(snapshot), blockResultsStatement, snapshot),
    );
    return answerOf(ask, list, found, await blockResultsJson(found.rows, unit, contractResult, context));
  },
});
