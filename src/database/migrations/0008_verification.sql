-- Sources of verified contracts, each text once. The bytes are kept as they were compiled: text columns take no NUL.
create table kagami.verified_source (
  hash    bytea primary key check (length(hash) = 32),
  content bytea not null
);
comment on column kagami.verified_source.hash is 'SHA-256 of content';

-- The best match of each contract. What identifies a contract of the mirrored network is its id and when it was created,
-- since an address may be used again; contracts of other chains have their address only.
create table kagami.verified_contract (
  match_id          bigint generated always as identity primary key,
  chain_id          text not null,
  address           bytea not null check (length(address) = 20),
  contract_id       bigint,
  created_timestamp bigint,
  runtime_match     text check (runtime_match in ('perfect', 'partial')),
  creation_match    text check (creation_match in ('perfect', 'partial')),
  verified_at       timestamptz not null default now(),
  -- First bytes of the runtime code, for finding contracts alike.
  runtime_prefix    bytea not null,
  -- json, not jsonb: the metadata's hash depends on the order of its keys.
  details           json not null,
  check (runtime_match is not null or creation_match is not null)
);
create unique index verified_contract__identity
  on kagami.verified_contract using btree (chain_id, address, created_timestamp) nulls not distinct;
create index verified_contract__address on kagami.verified_contract using btree (address);
create index verified_contract__chain on kagami.verified_contract using btree (chain_id, match_id);
create index verified_contract__runtime_prefix on kagami.verified_contract using btree (runtime_prefix);

create table kagami.verified_contract_source (
  match_id bigint not null references kagami.verified_contract on delete cascade,
  position integer not null,
  path     text not null,
  hash     bytea not null references kagami.verified_source,
  primary key (match_id, position)
);
