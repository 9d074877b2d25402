/**
 * `/api/v1/tokens/{tokenId}/nfts/{serialNumber}/transactions`: the transactions that made, changed, moved or ended an NFT,
 * found by the times at which its versions begin.
 */
import { conjunction, type Interval } from '../../api/bounds.ts';
import { booleanJson, entityIdJson, linksJson, plainJson, timestampJson } from '../../api/json.ts';
import { limitOf, type Order, orderOf, timestampPosition } from '../../api/page.ts';
import { limitParameter, orderParameter, timestampParameter } from '../../api/parameter-checks.ts';
import { acceptSorted, groupQuery } from '../../api/query.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import { intervalConditions, statementBuilder, statementName } from '../../api/sql.ts';
import { timestampBounds } from '../../api/timestamp-filter.ts';
import { type EntityId, formatEntityId } from '../../ledger/entity-id.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { transactionTypeName } from '../../ledger/transaction-type.ts';
import { readSerialNumber } from './nfts.ts';
import { linkAfter, readTokenId } from './token-reference.ts';

const listParameters = { limit: limitParameter, order: orderParameter, timestamp: timestampParameter };

interface TransactionRow {
  readonly consensus_timestamp: string;
  /** Whether the NFT is known from its mint on. */
  readonly is_complete: boolean;
  readonly is_approval: boolean | null;
  readonly nonce: number;
  readonly payer_account_id: string;
  readonly receiver_account_id: string | null;
  readonly sender_account_id: string | null;
  readonly type: number;
  readonly valid_start_ns: string;
}

interface NftReference {
  readonly tokenId: EntityId;
  readonly serialNumber: string;
}

const readTransactions = async (
  nft: NftReference,
  timestamps: Interval,
  order: Order,
  limit: number,
  { db }: RouteContext,
): Promise<readonly TransactionRow[]> => {
  const builder = statementBuilder();
  const tokenId = `${builder.bind(nft.tokenId)}::bigint`;
  const serialNumber = `${builder.bind(nft.serialNumber)}::bigint`;
  const most = builder.bind(limit);
  const started = intervalConditions(builder, 'lower(timestamp_range)', timestamps);
  const starts = (table: string, ...conditions: readonly string[]): string =>
    `(select lower(timestamp_range) as start from ${table} where ${[...conditions, ...started].join(' and ')}
      order by lower(timestamp_range) ${order} limit ${most})`;
  const ofNft = [`token_id = ${tokenId}`, `serial_number = ${serialNumber}`];
  const events = [
    starts('nft', ...ofNft),
    starts('nft_history', ...ofNft),
    starts('entity', `id = ${tokenId}`, 'deleted'),
  ];
  // A record may hold several transfers of one NFT, from hand to hand; the first is shown.
  const text = `select t.consensus_timestamp, t.nonce, t.payer_account_id, t.type, t.valid_start_ns,
      (m.moved->>'is_approval')::boolean as is_approval, m.moved->>'receiver_account_id' as receiver_account_id,
      m.moved->>'sender_account_id' as sender_account_id,
      exists (select from nft where ${ofNft.join(' and ')} and created_timestamp is not null) as is_complete
    from (select distinct start from (${events.join(' union all ')}) starts order by start ${order} limit ${most}) event
    join transaction t on t.consensus_timestamp = event.start
    cross join lateral (select jsonb_path_query_first(t.nft_transfer,
      '$[*] ? (@.token_id == $token && @.serial_number == $serial)',
      jsonb_build_object('token', ${tokenId}, 'serial', ${serialNumber})) as moved) m
    order by t.consensus_timestamp ${order}`;
  return db.query<TransactionRow>(text, builder.values, statementName(text));
};

const transactionJson = (row: TransactionRow): string =>
  `{"consensus_timestamp":${timestampJson(row.consensus_timestamp)},` +
  `"is_approval":${booleanJson(row.is_approval ?? false)},"nonce":${row.nonce},` +
  `"receiver_account_id":${entityIdJson(row.receiver_account_id)},` +
  `"sender_account_id":${entityIdJson(row.sender_account_id)},` +
  `"transaction_id":"${formatEntityId(row.payer_account_id)}-${formatTimestamp(row.valid_start_ns).replace('.', '-')}",` +
  `"type":${plainJson(transactionTypeName(row.type))}}`;

/** 206: what came before the first version of the NFT that is known, its mint included, is missing. */
const statusOf = (rows: readonly TransactionRow[]): number => (rows[0]?.is_complete === false ? 206 : 200);

export const listNftTransactions = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const tokenId = readTokenId(request, context);
  const serialNumber = readSerialNumber(request);
  const query = groupQuery(request.query);
  const filters = acceptSorted(query, listParameters, context.settings.query);
  const order = orderOf(filters, 'desc');
  const limit = limitOf(filters, context.settings.response.limit, request.user);
  const timestamps = conjunction(timestampBounds(filters));
  const rows =
    timestamps === undefined
      ? []
      : await readTransactions({ tokenId, serialNumber }, timestamps, order, limit, context);
  const last = rows.at(-1);
  const link =
    last === undefined || rows.length < limit
      ? null
      : linkAfter(request, query, order, timestampPosition(formatTimestamp(last.consensus_timestamp)));
  const body = `{"transactions":[${rows.map(transactionJson).join(',')}],"links":${linksJson(link)}}`;
  return { status: statusOf(rows), body, link };
};
