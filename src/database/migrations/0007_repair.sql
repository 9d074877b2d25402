-- Repairs of known faults in a network's streams that were carried out. A repair is done again when its checksum is no
-- longer the one that the settings name.
create table kagami.repair (
  name     text primary key,
  checksum integer not null,
  -- How many rows it inserted, changed or deleted.
  changes  bigint not null,
  done_at  timestamptz not null default now()
);
