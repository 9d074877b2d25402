-- The changes of a hook's slots by slot and time, and by time. Changes name a slot as the network did, with leading zeros or without:
-- the first index has its 32 bytes, in the order of numbers. A database of the reference mirror node keeps its own indexes.
do $$
begin
  if to_regclass('flyway_schema_history') is not null then
    return;
  end if;
  create index hook_storage_change__slot on hook_storage_change
    using btree (owner_id, hook_id, decode(lpad(encode(key, 'hex'), 64, '0'), 'hex'), consensus_timestamp);
  create index hook_storage_change__consensus_timestamp on hook_storage_change
    using btree (owner_id, hook_id, consensus_timestamp);
end
$$;
