/** `/api/v1/tokens/{tokenId}/nfts`: the NFTs of a token. */
import { conjunction, type Interval } from '../../api/bounds.ts';
import { numberPosition } from '../../api/entity-position.ts';
import type { Order } from '../../api/page.ts';
import { endpoint, pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import { entityIds, limit, order, positiveIntegers } from '../../api/resource/parameter.ts';
import type { RouteContext } from '../../api/route.ts';
import { intervalConditions, rangeConditions, statementBuilder, whereClause } from '../../api/sql.ts';
import { type SteppedResult, searchInSteps } from '../../api/stepped-search.ts';
import type { Reader } from '../../database/connection.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { type NftRow, nft } from './nft.ts';
import { entityIdInterval, linkAfter } from './token-links.ts';
import { readTokenId, tokenPath } from './token-path.ts';

interface NftSearch {
  readonly tokenId: EntityId;
  readonly accounts: Interval;
  readonly order: Order;
}

/** Whether the matches may lie far apart: an index holds the serial numbers of one account, none those of several. */
const isSparse = ({ lower, upper, excluded }: Interval): boolean =>
  excluded.length > 0 || ((lower !== null || upper !== null) && lower !== upper);

const findNfts = async (
  db: Reader,
  { tokenId, accounts, order }: NftSearch,
  serialNumbers: Interval,
  limit: number,
): Promise<readonly NftRow[]> => {
  const builder = statementBuilder();
  const conditions = [
    `n.token_id = ${builder.bind(tokenId)}::bigint`,
    ...rangeConditions(builder, 'n.account_id', accounts),
    ...intervalConditions(builder, 'n.serial_number', serialNumbers),
  ];
  const page = `select n.* from nft n${whereClause(conditions)}
    order by n.serial_number ${order} limit ${builder.bind(limit)}`;
  return nft.read(db, nft.statement(page, `p.serial_number ${order}`), builder.values);
};

const readNfts = async (
  search: NftSearch,
  serialNumbers: Interval,
  limit: number,
  context: RouteContext,
): Promise<SteppedResult<NftRow>> => {
  const { tokenId, accounts, order } = search;
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

export const nftList = endpoint({
  path: '/api/v1/tokens/{tokenId}/nfts',
  flavour: 'js',
  operationId: 'getNfts',
  summary: 'List the NFTs of a token',
  description: 'Latest serial numbers first unless ordered otherwise. Burnt and wiped ones are among them.',
  tag: 'tokens',
  refusals: 'sorted',
  pathParameters: tokenPath,
  parameters: {
    'account.id': entityIds('Id of the owner. Several must all hold.'),
    limit,
    order: order('desc'),
    serialnumber: positiveIntegers('Serial number, compared by an optional operator. Repeat it for a range.', ['gt:2']),
  },
  answer: pageOf('nfts', nft, 'One page of NFTs.'),
  problems: [400],

  resolve: ({ path }, context) => readTokenId(path, context),

  handle: async ({ request, subject: tokenId, query, grouped }, context) => {
    const accounts = entityIdInterval(query['account.id']);
    const serialNumbers = conjunction(query.serialnumber);
    if (accounts === undefined || serialNumbers === undefined) return pageAnswer('nfts', [], nft.put, null);
    const search = { tokenId, accounts, order: query.order };
    const { rows, examinedTo } = await readNfts(search, serialNumbers, query.limit, context);
    const last = rows.at(-1);
    const passed = last === undefined || rows.length < query.limit ? examinedTo?.toString() : last.serialNumber;
    const link =
      passed === undefined ? null : linkAfter(request, grouped, query.order, numberPosition('serialnumber', passed));
    return pageAnswer('nfts', rows, nft.put, link);
  },
});
