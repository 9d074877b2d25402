/** Gives all NFTs of a token to the new treasury account (a token update that changes the treasury). */
import type { DatabaseClient } from '../../database/connection.ts';
import type { TreasuryChange } from '../ledger-batch.ts';

const NFT_COLUMNS =
  'account_id, created_timestamp, deleted, metadata, serial_number, token_id, delegating_spender, spender';

/** $1 token, $2 previous treasury, $3 new treasury, $4 consensus timestamp in nanoseconds. */
const CHANGE_TREASURY = `
with superseded as (
  insert into nft_history (${NFT_COLUMNS}, timestamp_range)
  select ${NFT_COLUMNS}, int8range(lower(timestamp_range), $4)
  from nft where token_id = $1 and account_id = $2
), moved as (
  update nft
  set account_id = $3, delegating_spender = null, spender = null, timestamp_range = int8range($4, null)
  where token_id = $1 and account_id = $2
  returning serial_number
), emptied as (
  update token_account set balance = 0, balance_timestamp = $4 where account_id = $2 and token_id = $1
)
update token_account
set balance = balance + (select count(*) from moved), balance_timestamp = $4
where account_id = $3 and token_id = $1`;

export const applyTreasuryChange = async (client: DatabaseClient, change: TreasuryChange): Promise<void> => {
  const { tokenId, previousTreasury, newTreasury, timestamp } = change;
  await client.query(CHANGE_TREASURY, [tokenId, previousTreasury, newTreasury, timestamp], 'change_treasury');
};
