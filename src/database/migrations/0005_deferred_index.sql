-- Indexes that a bulk import took away to build them at its end. A row means: this index is missing on purpose.
create table kagami.deferred_index (
  index_name   text primary key,
  table_name   text not null,
  -- Name of the partitioned index that it belongs to, if any.
  parent_index text,
  definition   text not null
);
