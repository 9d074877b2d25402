/**
 * `/api/v1/tokens/{tokenId}/nfts/{serialNumber}/transactions`: the transactions that made, changed, moved or ended an NFT,
 * found by the times at which its versions begin.
 */
import { conjunction, type Interval } from '../../api/bounds.ts';
import { type Order, timestampPosition } from '../../api/page.ts';
import { endpoint, pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import { entityId, field, int32, plainFlag, timestamp } from '../../api/resource/field.ts';
import { limit, order, timestamps, transactionTypeSchema } from '../../api/resource/parameter.ts';
import { resource } from '../../api/resource/resource.ts';
import type { RouteContext } from '../../api/route.ts';
import { intervalConditions, statementBuilder } from '../../api/sql.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { transactionTypeName } from '../../ledger/transaction-type.ts';
import { transactionId } from '../transactions/transaction.ts';
import { linkAfter } from './token-links.ts';
import { type NftReference, nftPath, readNftReference } from './token-path.ts';

const nftTransaction = resource({
  name: 'NftTransaction',
  keys: {
    consensusTimestamp: 'p.consensus_timestamp',
    /** Whether the NFT is known from its mint on. */
    isComplete: 'p.is_complete',
  },
  fields: {
    consensus_timestamp: timestamp('p.consensus_timestamp'),
    is_approval: plainFlag('p.is_approval', 'Whether an allowance was used.'),
    nonce: int32('p.nonce', { minimum: 0, description: 'Not 0: a child of another transaction.' }),
    receiver_account_id: entityId('p.receiver_account_id', 'New owner; null unless it changed hands or was minted.'),
    sender_account_id: entityId('p.sender_account_id', 'Owner before; null unless it changed hands or ended.'),
    transaction_id: transactionId,
    type: field('p.type', transactionTypeSchema, (type) => `"${transactionTypeName(Number(type))}"`),
  },
});

type TransactionRow = Awaited<ReturnType<typeof nftTransaction.read>>[number];

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
  const page = `select t.consensus_timestamp, t.nonce, t.payer_account_id, t.type, t.valid_start_ns,
      (m.moved->>'is_approval')::boolean as is_approval, m.moved->>'receiver_account_id' as receiver_account_id,
      m.moved->>'sender_account_id' as sender_account_id,
      exists (select from nft where ${ofNft.join(' and ')} and created_timestamp is not null) as is_complete
    from (select distinct start from (${events.join(' union all ')}) starts order by start ${order} limit ${most}) event
    join transaction t on t.consensus_timestamp = event.start
    cross join lateral (select jsonb_path_query_first(t.nft_transfer,
      '$[*] ? (@.token_id == $token && @.serial_number == $serial)',
      jsonb_build_object('token', ${tokenId}, 'serial', ${serialNumber})) as moved) m
    order by t.consensus_timestamp ${order}`;
  return nftTransaction.read(db, nftTransaction.statement(page, `p.consensus_timestamp ${order}`), builder.values);
};

/** 206: what came before the first version of the NFT that is known, its mint included, is missing. */
const statusOf = (rows: readonly TransactionRow[]): number => (rows[0]?.isComplete === 'f' ? 206 : 200);

export const nftTransactionList = endpoint({
  path: '/api/v1/tokens/{tokenId}/nfts/{serialNumber}/transactions',
  flavour: 'js',
  operationId: 'getNftTransactions',
  summary: 'List the transactions of an NFT',
  description: 'Mint, transfers, allowances, changes, and what ended the NFT, the deletion of its token included.',
  tag: 'tokens',
  refusals: 'sorted',
  pathParameters: nftPath,
  parameters: { limit, order: order('desc'), timestamp: timestamps },
  answer: {
    ...pageOf('transactions', nftTransaction, 'One page of transactions.'),
    partial: 'One page of transactions; the beginning of the NFT is not known.',
  },
  problems: [400],

  resolve: ({ path }, context) => readNftReference(path, context),

  handle: async ({ request, subject: nft, query, grouped }, context) => {
    const times = conjunction(query.timestamp);
    const rows = times === undefined ? [] : await readTransactions(nft, times, query.order, query.limit, context);
    const last = rows.at(-1);
    const link =
      last === undefined || rows.length < query.limit
        ? null
        : linkAfter(request, grouped, query.order, timestampPosition(formatTimestamp(last.consensusTimestamp)));
    return { ...pageAnswer('transactions', rows, nftTransaction.put, link), status: statusOf(rows) };
  },
});
