/** `/api/v1/tokens/{tokenId}/nfts`: the NFTs of a token, and one of them by its serial number. */
import { conjunction, type Interval } from '../../api/bounds.ts';
import { numberPosition } from '../../api/entity-position.ts';
import { linksJson } from '../../api/json.ts';
import { limitOf, type Order, orderOf } from '../../api/page.ts';
import {
  entityIdParameter,
  isPositiveInt8,
  limitParameter,
  orderParameter,
  positiveInt8Parameter,
} from '../../api/parameter-checks.ts';
import { notFound } from '../../api/problem.ts';
import { acceptInOrder, acceptSorted, type Filter, groupQuery, invalidParameters } from '../../api/query.ts';
import type { OpenApiParameter, RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import { intervalConditions, statementBuilder, statementName, whereClause } from '../../api/sql.ts';
import { type SteppedResult, searchInSteps } from '../../api/stepped-search.ts';
import type { Queryable } from '../../database/connection.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { type NftRow, nftColumns, nftJson } from './nft-json.ts';
import { entityIdInterval, integerBounds, linkAfter, readTokenId } from './token-reference.ts';

const listParameters = {
  'account.id': entityIdParameter,
  limit: limitParameter,
  order: orderParameter,
  serialnumber: positiveInt8Parameter,
};

/**
 * The digits of the serial number in the path.
 * @throws HttpProblem 400 `Invalid parameter: serialnumber`
 */
export const readSerialNumber = ({ pathParameters }: Pick<RestRequest, 'pathParameters'>): string => {
  const text = pathParameters.serialNumber ?? '';
  if (!isPositiveInt8(text)) throw invalidParameters('serialnumber');
  return text;
};

export const serialNumberPathDoc: OpenApiParameter = {
  name: 'serialNumber',
  in: 'path',
  required: true,
  description: 'Serial number of the NFT within its token, from 1.',
  schema: { type: 'integer', format: 'int64', minimum: 1 },
  example: 1,
};

interface NftSearch {
  readonly tokenId: EntityId;
  readonly accounts: Interval;
  readonly order: Order;
}

/** Whether the matches may lie far apart: an index holds the serial numbers of one account, none those of several. */
const isSparse = ({ lower, upper, excluded }: Interval): boolean =>
  excluded.length > 0 || ((lower !== null || upper !== null) && lower !== upper);

const findNfts = async (
  db: Queryable,
  { tokenId, accounts, order }: NftSearch,
  serialNumbers: Interval,
  limit: number,
): Promise<readonly NftRow[]> => {
  const builder = statementBuilder();
  const conditions = [
    `n.token_id = ${builder.bind(tokenId)}::bigint`,
    ...intervalConditions(builder, 'n.account_id', accounts),
    ...intervalConditions(builder, 'n.serial_number', serialNumbers),
  ];
  const text = `select ${nftColumns} from nft n${whereClause(conditions)}
    order by n.serial_number ${order} limit ${builder.bind(limit)}`;
  return db.query<NftRow>(text, builder.values, statementName(text));
};

const readNfts = async (
  tokenId: EntityId,
  filters: readonly Filter[],
  order: Order,
  limit: number,
  context: RouteContext,
): Promise<SteppedResult<NftRow>> => {
  const accounts = entityIdInterval(filters, 'account.id', context);
  const serialNumbers = conjunction(integerBounds(filters, 'serialnumber'));
  if (accounts === undefined || serialNumbers === undefined) return { rows: [], examinedTo: null };
  const search = { tokenId, accounts, order };
  if (!isSparse(accounts)) {
    return { rows: await findNfts(context.db, search, serialNumbers, limit), examinedTo: null };
  }
  return searchInSteps(
    {
      interval: serialNumbers,
      order,
      limit,
      tables: [`nft where token_id = ${tokenId}`],
      idColumn: 'serial_number',
      find: (db, window, most) => findNfts(db, search, window, most),
    },
    context,
  );
};

export const listNfts = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const tokenId = readTokenId(request, context);
  const query = groupQuery(request.query);
  const filters = acceptSorted(query, listParameters, context.settings.query);
  const order = orderOf(filters, 'desc');
  const limit = limitOf(filters, context.settings.response.limit, request.user);
  const { rows, examinedTo } = await readNfts(tokenId, filters, order, limit, context);
  const last = rows.at(-1);
  const passed = last === undefined || rows.length < limit ? examinedTo?.toString() : last.serial_number;
  const link = passed === undefined ? null : linkAfter(request, query, order, numberPosition('serialnumber', passed));
  return { status: 200, body: `{"nfts":[${rows.map(nftJson).join(',')}],"links":${linksJson(link)}}`, link };
};

export const getNft = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  acceptInOrder(groupQuery(request.query), {}, context.settings.query);
  const tokenId = readTokenId(request, context);
  const serialNumber = readSerialNumber(request);
  const [row] = await context.db.query<NftRow>(
    `select ${nftColumns} from nft n where n.token_id = $1 and n.serial_number = $2`,
    [tokenId, serialNumber],
    'nft-by-serial-number',
  );
  if (row === undefined) throw notFound();
  return { status: 200, body: nftJson(row) };
};
