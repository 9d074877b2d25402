/**
 * Roles beside the owner: one that reads (the interfaces), and where operators have one, one that writes (the importer).
 * The owner makes and owns everything; these get their rights here, now and for tables to come.
 */
import pg from 'pg';
import { isKagamiError } from '../errors/kagami-error.ts';
import type { DatabaseClient } from './connection.ts';

export interface Role {
  readonly username: string;
  /** Absent: the role must exist already. */
  readonly password?: string;
  readonly access: 'read' | 'write';
}

/**
 * Tables of ours that a role with read access may read, besides the whole ledger. The others hold keys, and what people
 * upload.
 */
const readableTables: readonly string[] = [
  'block_chain',
  'deferred_index',
  'importer_state',
  'initial_balances',
  'repair',
  'schema_migration',
  'verified_contract',
  'verified_contract_source',
  'verified_source',
  'writer',
];

const tableRights = {
  read: ['select'],
  write: ['select', 'insert', 'update', 'delete', 'truncate'],
} as const;

interface RoleFindings {
  readonly exists: boolean;
  readonly is_self: boolean;
  readonly schema_there: boolean;
  /** Has every right on every table that it should have already. */
  readonly complete: boolean;
  /** Tables of ours that are there, those that the role may read first. */
  readonly readable: readonly string[];
  readonly hidden: readonly string[];
  /** May read a table that it should not: this was so in earlier versions. */
  readonly exposed: boolean;
}

/** $1 role, $2 schema of the ledger, $3 rights, $4 tables of ours for a reader; null: all of them. */
const findingsQuery = `
with own as (
  select c.oid, c.relname::text as name, c.relacl, $4::text[] is null or c.relname = any($4) as is_open
  from pg_class c
  where c.relnamespace = to_regnamespace('kagami') and c.relkind in ('r', 'p', 'v')
), ledger as (
  select c.oid from pg_class c
  where c.relnamespace = to_regnamespace(quote_ident($2)) and c.relkind in ('r', 'p', 'v')
)
select
  exists (select from pg_roles where rolname = $1) as exists,
  current_user = $1 as is_self,
  coalesce((
    select bool_and(has_table_privilege(r.oid, t.oid, wanted))
    from pg_roles r, (select oid from ledger union all select oid from own where is_open) t, unnest($3::text[]) wanted
    where r.rolname = $1
  ), false) as complete,
  array(select name from own where is_open order by name) as readable,
  array(select name from own where not is_open order by name) as hidden,
  exists (
    select from own, aclexplode(own.relacl) acl join pg_roles r on r.oid = acl.grantee
    where not own.is_open and r.rolname = $1
  ) as exposed`;

/**
 * Makes the role unless it exists, and gives it its rights on the ledger schema and on ours: a reader's reach no keys and
 * nothing that people uploaded. Idempotent. An existing role keeps its password. Run as the owner, after the migrations.
 * @param schema schema of the ledger tables
 * @throws KagamiError DATABASE_ACCESS_DENIED when the role is missing and the owner may not create roles
 */
export const ensureRole = async (client: DatabaseClient, schema: string, role: Role): Promise<void> => {
  const { username, password, access } = role;
  const wanted = tableRights[access];
  const open = access === 'read' ? readableTables : null;
  const [found] = await client.query<RoleFindings>(findingsQuery, [username, schema, wanted, open]);
  // Granting again would rewrite the catalogue's entry of every table at every start.
  if (found?.is_self || (found?.complete && !found.exposed)) return;
  const name = pg.escapeIdentifier(username);
  if (!found?.exists) {
    const secret = password === undefined ? '' : ` password ${pg.escapeLiteral(password)}`;
    await client.query(`create role ${name} login${secret}`).catch((fault: unknown) => {
      // Another process that starts at the same time was faster.
      if (isKagamiError(fault) && ['42710', '23505'].includes(String(fault.details.sqlState))) return;
      throw fault;
    });
    if (access === 'read') await client.query(`alter role ${name} set default_transaction_read_only = on`);
  }
  const rights = wanted.join(', ');
  const ledgerSchema = pg.escapeIdentifier(schema);
  const all = `on all tables in schema ${ledgerSchema}`;
  await client.query(`grant usage on schema ${ledgerSchema} to ${name}`);
  await client.query(`grant ${rights} ${all} to ${name}`);
  await client.query(`alter default privileges in schema ${ledgerSchema} grant ${rights} on tables to ${name}`);
  const { readable = [], hidden = [] } = found ?? {};
  const own = (tables: readonly string[]): string =>
    tables.map((table) => `kagami.${pg.escapeIdentifier(table)}`).join(', ');
  if (readable.length > 0) {
    await client.query(`grant usage on schema kagami to ${name}`);
    await client.query(`grant ${rights} on ${own(readable)} to ${name}`);
  }
  if (access === 'write') {
    await client.query(`alter default privileges in schema kagami grant ${rights} on tables to ${name}`);
  } else if (hidden.length > 0) {
    await client.query(`revoke all on ${own(hidden)} from ${name}`);
    await client.query(`alter default privileges in schema kagami revoke select on tables from ${name}`);
  }
};
