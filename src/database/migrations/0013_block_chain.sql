-- Where the chain of blocks of a block stream stands: at most one row, of the newest block. The footers of blocks name the
-- root of a tree over the root hashes of all blocks before; what is kept of that tree lets it grow on.
create table kagami.block_chain (
  only_row      boolean primary key default true check (only_row),
  index         bigint not null,
  -- Nanoseconds; with the number it tells whether the row belongs to the newest record_file.
  consensus_end bigint not null,
  -- Those that the block may have: one, but for a wrapped record block whose form the next block decides.
  root_hashes   bytea[] not null,
  -- Roots of the tree's full subtrees, the largest first; null where blocks before are not known.
  tree          bytea[]
);
