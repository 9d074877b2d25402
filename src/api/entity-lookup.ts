/** From what a client calls an account to its id, by way of the `entity` table. */
import type { Database } from '../database/connection.ts';
import type { EntityId } from '../ledger/entity-id.ts';
import { type AccountReference, type HomeRealm, readPathReference } from './entity-reference.ts';
import { HttpProblem, notFound } from './problem.ts';

type Queries = Pick<Database, 'query'>;

const byAlias = 'select id from entity where alias = $1 and deleted is not true';
const byEvmAddress = 'select id from entity where evm_address = $1 and deleted <> true';

const onlyOne = (rows: readonly { readonly id: string }[], missing: HttpProblem): EntityId => {
  const [row] = rows;
  if (row === undefined) throw missing;
  if (rows.length > 1) throw new HttpProblem(500, [{ message: 'Internal error' }]);
  return BigInt(row.id);
};

/** @throws HttpProblem 404; 500 when several live entities carry the alias */
const findByAlias = async (db: Queries, alias: Uint8Array): Promise<EntityId> =>
  onlyOne(
    await db.query(byAlias, [Buffer.from(alias.buffer, alias.byteOffset, alias.byteLength)], 'entity-by-alias'),
    notFound('No account with a matching alias found'),
  );

/** @throws HttpProblem 404; 500 when several live entities carry the address */
const findByEvmAddress = async (db: Queries, evmAddress: Buffer): Promise<EntityId> =>
  onlyOne(await db.query(byEvmAddress, [evmAddress], 'entity-by-evm-address'), notFound());

/** The id that a reference stands for; an id is not looked up, so it may belong to nobody. */
export const resolveReference = async (db: Queries, reference: AccountReference): Promise<EntityId> => {
  if ('id' in reference) return reference.id;
  return 'alias' in reference ? findByAlias(db, reference.alias) : findByEvmAddress(db, reference.evmAddress);
};

/**
 * The account that a path parameter names: id, EVM address or alias.
 * @throws HttpProblem 400 `Invalid parameter: <name>`, 404
 */
export const lookupAccountId = (
  text: string,
  context: { readonly db: Queries } & HomeRealm,
  name = 'idOrAliasOrEvmAddress',
): Promise<EntityId> => resolveReference(context.db, readPathReference(text, name, context));

/**
 * As `lookupAccountId` for lists that know whether there is such an account: an id must belong to an entity of any type.
 * @throws HttpProblem 400, 404
 */
export const lookupKnownAccountId = async (
  text: string,
  context: { readonly db: Queries } & HomeRealm,
): Promise<EntityId> => {
  const reference = readPathReference(text, 'idOrAliasOrEvmAddress', context);
  if (!('id' in reference)) return resolveReference(context.db, reference);
  const known = await context.db.query('select from entity where id = $1', [reference.id], 'entity-exists');
  if (known.length === 0) throw notFound();
  return reference.id;
};
