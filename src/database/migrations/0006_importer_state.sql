-- Why the import stands still, as long as it does: at most one row, gone with the next block. What keeps the importer
-- from the database itself can't be told here.
create table kagami.importer_state (
  only_row boolean primary key default true check (only_row),
  state    text not null check (state in ('waiting', 'retrying', 'stopped', 'ended')),
  code     text not null,
  message  text not null,
  -- Stream file that it concerns, if any.
  file     text,
  holder   text not null,
  since    timestamptz not null
);
