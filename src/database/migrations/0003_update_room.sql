-- Every block changes balances of accounts and token relationships. With room left in each page the new version of a row
-- stays beside the old one, and no index is touched.
alter table entity set (fillfactor = 80);
alter table token_account set (fillfactor = 80);
