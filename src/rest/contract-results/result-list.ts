/**
 * `/api/v1/contracts/results`: results of all contracts, with their blocks and Ethereum transactions.
 * `/api/v1/contracts/{contractIdOrAddress}/results`: results of one contract.
 */
import { everything, type Interval } from '../../api/bounds.ts';
import { nextLink, timestampPosition } from '../../api/page.ts';
import { type Ask, endpoint, pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import type { JsonBytes } from '../../api/resource/json-bytes.ts';
import type { Resource, ResourceRow } from '../../api/resource/resource.ts';
import type { RestAnswer, RouteContext } from '../../api/route.ts';
import { inSnapshot } from '../../api/snapshot.ts';
import { type SteppedResult, searchInSteps } from '../../api/stepped-search.ts';
import { bindTimestampRange } from '../../api/timestamp-filter.ts';
import type { Reader } from '../../database/connection.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { formatTimestamp, type Nanos } from '../../ledger/timestamp.ts';
import { contractPath, contractTextOf, findContractId } from '../contracts/contract-reference.ts';
import { gasPriceFiles, readGasPrices } from './gas-price.ts';
import { blockResult, briefResult, contractResult } from './result.ts';
import {
  checkResultParameters,
  resultParameters,
  resultTimeBounds,
  sendersOf,
  timestampsWithin,
  unitOf,
} from './result-filters.ts';
import { blockResultsStatement, type ResultSearch, resultsStatement, type Statement } from './result-search.ts';

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

interface Found<Key extends string> extends SteppedResult<ResourceRow<Key>> {
  readonly list: List | undefined;
}

/** Callers, contracts and results of transactions that others caused may lie far apart. */
const readList = async <Key extends string, Given>(
  list: List | undefined,
  of: Resource<Key, Given>,
  statementOf: (search: ResultSearch) => Statement,
  context: RouteContext,
): Promise<Found<Key>> => {
  if (list === undefined) return { list, rows: [], examinedTo: null };
  const { search } = list;
  const find = (db: Reader, part: ResultSearch): Promise<readonly ResourceRow<Key>[]> => {
    const { text, values } = statementOf(part);
    return of.read(db, of.statement(text, `p.consensus_timestamp ${part.order}`), values);
  };
  const { timestamps, order, limit } = search;
  if (!('excluded' in timestamps)) return { list, rows: await find(context.db, search), examinedTo: null };
  const found = await searchInSteps(
    {
      interval: timestamps,
      order,
      limit,
      tables: ['contract_result', 'contract_log'],
      find: (db, times, most) => find(db, { ...search, timestamps: times, limit: most }),
    },
    context,
  );
  return { list, ...found };
};

const answerOf = <Row extends ResourceRow<'consensusTimestamp'>>(
  { request, grouped }: Pick<ResultAsk, 'request' | 'grouped'>,
  { list, rows, examinedTo }: SteppedResult<Row> & { readonly list: List | undefined },
  put: (out: JsonBytes, row: Row) => void,
): RestAnswer => {
  const last = rows.length === list?.search.limit ? rows.at(-1)?.consensusTimestamp : (examinedTo ?? list?.next);
  const next =
    last === undefined || last === null || list === undefined
      ? null
      : nextLink(request, grouped, list.search.order, [timestampPosition(formatTimestamp(last))]);
  return pageAnswer('results', rows, put, next);
};

const answerWithBlocks = async (
  ask: ResultAsk,
  of: typeof blockResult,
  listIn: (snapshot: RouteContext) => Promise<List | undefined>,
  context: RouteContext,
): Promise<RestAnswer> => {
  const unit = unitOf(ask.grouped);
  const files = gasPriceFiles(context);
  const found = await inSnapshot(context, async (snapshot) =>
    readList(await listIn(snapshot), of, (search) => blockResultsStatement(search, files), snapshot),
  );
  const format = {
    unit,
    chainId: context.settings.chainId,
    showsAuthorizationList: context.settings.response.enableDelegationAddress,
    gasPrice: await readGasPrices(found.rows, context),
  };
  return answerOf(ask, found, (out, row) => of.put(out, row, format));
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
    return answerWithBlocks(ask, blockResult, (snapshot) => listOf(ask.query, undefined, snapshot), context);
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
      const found = await inSnapshot(context, async (snapshot) =>
        readList(await listIn(snapshot), briefResult, resultsStatement, snapshot),
      );
      return answerOf(ask, found, briefResult.put);
    }
    return answerWithBlocks(ask, contractResult, listIn, context);
  },
});
