-- Who only reads the ledger has no business with the key that signs cookies, nor with what people upload. Rights in this
-- schema are given table by table from here on (src/database/roles.ts).
do $$
declare
  reader  regrole;
  private text;
begin
  for reader in
    select acl.grantee::regrole
    from pg_class c, aclexplode(c.relacl) acl
    where c.oid = 'kagami.verification_secret'::regclass and acl.grantee not in (0, c.relowner)
    group by acl.grantee
    having bool_and(acl.privilege_type = 'SELECT')
  loop
    foreach private in array array[
      'verification_secret', 'verification_session', 'verification_session_file', 'verification_job'
    ] loop
      execute format('revoke all on table kagami.%I from %s', private, reader);
    end loop;
  end loop;

  -- Readers got rights on the tables to come, too.
  for reader in
    select acl.grantee::regrole
    from pg_default_acl d, aclexplode(d.defaclacl) acl
    where d.defaclnamespace = 'kagami'::regnamespace and d.defaclobjtype = 'r'
      and d.defaclrole = (select oid from pg_roles where rolname = current_user) and acl.grantee not in (0, d.defaclrole)
    group by acl.grantee
    having bool_and(acl.privilege_type = 'SELECT')
  loop
    execute format('alter default privileges in schema kagami revoke select on tables from %s', reader);
  end loop;

  revoke all on table kagami.verification_secret, kagami.verification_session, kagami.verification_session_file,
    kagami.verification_job from public;
end
$$;
