-- What people upload to have contracts verified, until their session ends.
create table kagami.verification_session (
  id         text primary key,
  expires_at timestamptz not null,
  -- Length of all files in base64, which the limit of a session counts.
  bytes      bigint not null default 0,
  state      json not null
);
create index verification_session__expires_at on kagami.verification_session (expires_at);

create table kagami.verification_session_file (
  session_id text not null references kagami.verification_session on delete cascade,
  sha1       bytea not null,
  position   bigint generated always as identity,
  path       text not null,
  content    bytea not null,
  primary key (session_id, sha1)
);

-- Key that signs the cookies of sessions where the settings name none: at most one row.
create table kagami.verification_secret (
  only_row boolean primary key default true check (only_row),
  secret   text not null
);

-- Verifications asked for by job. One that is unfinished belongs to a process that says so again and again; when it no
-- longer does, the job is abandoned.
create table kagami.verification_job (
  id                  uuid primary key,
  chain_id            text not null,
  address             text not null,
  started_at          timestamptz not null default now(),
  finished_at         timestamptz,
  alive_until         timestamptz not null,
  compilation_time_ms bigint,
  -- The verified contract in short, or why there is none; as the job shows it.
  contract            json,
  error               json
);
create unique index verification_job__running on kagami.verification_job (chain_id, address) where finished_at is null;
create index verification_job__started_at on kagami.verification_job (started_at);
