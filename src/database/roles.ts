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

const tableRights = {
  read: ['select'],
  write: ['select', 'insert', 'update', 'delete', 'truncate'],
} as const;

interface RoleFindings {
  readonly exists: boolean;
  readonly is_self: boolean;
  readonly schema_there: boolean;
  /** Has every right on every table already. */
  readonly complete: boolean;
}

const findingsQuery = `
select
  exists (select from pg_roles where rolname = $1) as exists,
  current_user = $1 as is_self,
  to_regnamespace('kagami') is not null as schema_there,
  coalesce((
    select bool_and(has_table_privilege(r.oid, c.oid, wanted))
    from pg_roles r, pg_class c, unnest($3::text[]) wanted
    where r.rolname = $1
      and c.relnamespace in (to_regnamespace(quote_ident($2)), to_regnamespace('kagami'))
      and c.relkind in ('r', 'p', 'v')
  ), false) as complete`;

/**
 * Makes the role unless it exists, and gives it its rights on the ledger schema and on ours. Idempotent. An existing
 * role keeps its password. Run as the owner, after the migrations.
 * @param schema schema of the ledger tables
 * @throws KagamiError DATABASE_ACCESS_DENIED when the role is missing and the owner may not create roles
 */
export const ensureRole = async (client: DatabaseClient, schema: string, role: Role): Promise<void> => {
  const { username, password, access } = role;
  const wanted = tableRights[access];
  const [found] = await client.query<RoleFindings>(findingsQuery, [username, schema, wanted]);
  // Granting again would rewrite the catalogue's entry of every table at every start.
  if (found?.is_self || found?.complete) return;
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
  const schemas = found?.schema_there ? [ledgerSchema, 'kagami'] : [ledgerSchema];
  for (const target of schemas) {
    await client.query(`grant usage on schema ${target} to ${name}`);
    await client.query(`grant ${rights} on all tables in schema ${target} to ${name}`);
    await client.query(`alter default privileges in schema ${target} grant ${rights} on tables to ${name}`);
  }
};
