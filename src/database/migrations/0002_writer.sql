-- Who may write the ledger. Always one row; `token` grows by one with every change of hands, and every importer
-- transaction checks that the token is still its own.
create table kagami.writer (
  only_row boolean primary key default true check (only_row),
  token    bigint not null,
  holder   text not null,
  since    timestamptz not null
);

insert into kagami.writer (token, holder, since) values (0, '', now());
