-- The balance file from which balances were taken over, where history does not begin with the network: at most one row.
-- Everything before its time is unknown, everything after it adds up from there.
create table kagami.initial_balances (
  only_row            boolean primary key default true check (only_row),
  consensus_timestamp bigint not null,
  taken_over          timestamptz not null default now()
);
