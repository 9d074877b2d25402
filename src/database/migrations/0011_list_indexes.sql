-- Indexes for lists whose rows are few among many that are spent, answered or somebody else's. A database of the
-- reference mirror node keeps its own indexes: its tables may be too large to be indexed in passing, and the same
-- statements find the same rows there, only slower.
do $$
begin
  if to_regclass('flyway_schema_history') is not null then
    return;
  end if;
  create index crypto_allowance__open on crypto_allowance using btree (owner, spender) where (amount > 0);
  create index entity__public_key_type_id on entity using btree (public_key, type, id) where (public_key is not null);
  create index entity_transaction__consensus_timestamp on entity_transaction using btree (consensus_timestamp);
  create index hook_storage__present on hook_storage using btree (owner_id, hook_id, key) where (deleted is false);
  create index nft_allowance__open on nft_allowance using btree (owner, spender, token_id) where approved_for_all;
  create index nft_allowance__open_spender on nft_allowance using btree (spender, owner, token_id) where approved_for_all;
  create index schedule__creator_account_id_schedule_id on schedule using btree (creator_account_id, schedule_id);
  create index token_account__associated on token_account using btree (account_id, token_id) where associated;
  create index token_account__associated_token on token_account using btree (token_id, account_id) where associated;
  create index token_airdrop__pending_receiver
    on token_airdrop using btree (receiver_account_id, sender_account_id, token_id, serial_number) where (state = 'PENDING');
  create index token_airdrop__pending_sender
    on token_airdrop using btree (sender_account_id, receiver_account_id, token_id, serial_number) where (state = 'PENDING');
  create index token_allowance__open on token_allowance using btree (owner, spender, token_id) where (amount > 0);
end
$$;
