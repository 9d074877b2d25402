/**
 * Dissociations from deleted tokens. The record states one amount, whatever the token was: only the database knows
 * whether the account owned NFTs, which then are gone, or fungible units.
 */
import type { DatabaseClient } from '../../database/connection.ts';
import { copyRows } from '../../database/copy.ts';
import type { DissociateTransfer } from '../ledger-batch.ts';

const NFT_COLUMNS =
  'account_id, created_timestamp, deleted, metadata, serial_number, token_id, delegating_spender, spender';

/** $1 accounts, $2 tokens: those pairs of which the account owns NFTs. */
const FIND_OWNERS = `
select p.account_id, p.token_id
from (select distinct * from unnest($1::bigint[], $2::bigint[]) as p (account_id, token_id)) p
where exists (select from nft n where n.account_id = p.account_id and n.token_id = p.token_id and not n.deleted)`;

/** $1 accounts, $2 tokens, $3 consensus timestamps in nanoseconds. */
const DELETE_NFTS = `
with gone as (
  select * from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as g (account_id, token_id, consensus_timestamp)
), superseded as (
  insert into nft_history (${NFT_COLUMNS}, timestamp_range)
  select ${NFT_COLUMNS.replaceAll(/\w+/g, 'n.$&')}, int8range(lower(n.timestamp_range), g.consensus_timestamp)
  from gone g join nft n on n.account_id = g.account_id and n.token_id = g.token_id and not n.deleted
)
update nft n
set account_id = null, deleted = true, delegating_spender = null, spender = null,
  timestamp_range = int8range(g.consensus_timestamp, null)
from gone g
where n.account_id = g.account_id and n.token_id = g.token_id and not n.deleted`;

/** $1 consensus timestamps in nanoseconds, $2 NFT transfers as JSON. */
const SET_NFT_TRANSFERS = `
update transaction t
set nft_transfer = u.nft_transfer
from unnest($1::bigint[], $2::jsonb[]) as u (consensus_timestamp, nft_transfer)
where t.consensus_timestamp = u.consensus_timestamp`;

const pairOf = (account: bigint | string, token: bigint | string): string => `${account} ${token}`;

const asNftTransfer = ({ account_id, amount, token_id }: DissociateTransfer): string =>
  `{"is_approval":false,"receiver_account_id":null,"sender_account_id":${account_id},"serial_number":${amount},` +
  `"token_id":${token_id}}`;

/** Runs when the batch's transactions and NFTs are in the database. */
export const writeDissociations = async (
  client: DatabaseClient,
  transfers: readonly DissociateTransfer[],
): Promise<void> => {
  if (transfers.length === 0) return;
  const owners = await client.query<{ account_id: string; token_id: string }>(
    FIND_OWNERS,
    [transfers.map((transfer) => transfer.account_id), transfers.map((transfer) => transfer.token_id)],
    'dissociate_find_owners',
  );
  const owning = new Set(owners.map(({ account_id, token_id }) => pairOf(account_id, token_id)));
  const ofNfts = transfers.filter(({ account_id, token_id }) => owning.has(pairOf(account_id, token_id)));
  const fungible = transfers.filter(({ account_id, token_id }) => !owning.has(pairOf(account_id, token_id)));
  await copyRows(client, 'token_transfer', fungible);
  if (ofNfts.length === 0) return;

  await client.query(
    DELETE_NFTS,
    [
      ofNfts.map((transfer) => transfer.account_id),
      ofNfts.map((transfer) => transfer.token_id),
      ofNfts.map((transfer) => transfer.consensus_timestamp),
    ],
    'dissociate_delete_nfts',
  );
  const entries = new Map<bigint, string[]>();
  for (const transfer of ofNfts) {
    const ofTransaction = entries.get(transfer.consensus_timestamp) ?? [];
    ofTransaction.push(asNftTransfer(transfer));
    entries.set(transfer.consensus_timestamp, ofTransaction);
  }
  await client.query(
    SET_NFT_TRANSFERS,
    [[...entries.keys()], [...entries.values()].map((elements) => `[${elements.join(',')}]`)],
    'dissociate_set_nft_transfers',
  );
};
