/** The account in a path of the `java` flavour, which reads and refuses it in its own way. */
import type { Database } from '../database/connection.ts';
import { decodeAlias } from '../ledger/alias.ts';
import { type EntityId, parseEntityId } from '../ledger/entity-id.ts';
import { resolveReference } from './entity-lookup.ts';
import type { AccountReference, HomeRealm } from './entity-reference.ts';
import { failedToConvert } from './java-parameters.ts';
import { HttpProblem, reasonedProblem } from './problem.ts';

const idText = /^(?:\d{1,4}\.)?(?:\d{1,5}\.)?\d{1,10}$/;
const addressText = /^(?:(?:\d{1,5}\.){0,2}|0x)([A-Fa-f0-9]{40})$/;
const aliasText = /^(?:\d{1,5}\.){0,2}([A-Z2-7]{40,70})$/;

/**
 * Reads the path parameter `name`: an id, an EVM address or an alias. Shard and realm before an address or alias are not
 * looked at. A long-zero address is an address like any other: it is found only where an entity carries it.
 * @throws HttpProblem 400
 */
export const readJavaAccountReference = (text: string, home: HomeRealm, name = 'id'): AccountReference => {
  const id = idText.test(text) ? parseEntityId(text, home) : undefined;
  if (id !== undefined) return { id };
  const address = addressText.exec(text)?.[1];
  if (address !== undefined) return { evmAddress: Buffer.from(address, 'hex') };
  const base32 = aliasText.exec(text)?.[1];
  const alias = base32 === undefined ? undefined : decodeAlias(base32);
  if (alias === undefined) throw failedToConvert(name);
  return { alias };
};

/** The id behind a reference; an id is not looked up. @throws HttpProblem 404, 500 in the words of the `java` flavour */
export const resolveJavaReference = async (
  db: Pick<Database, 'query'>,
  reference: AccountReference,
): Promise<EntityId> => {
  try {
    return await resolveReference(db, reference);
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    throw error.status === 404
      ? reasonedProblem(404, 'No account found for the given ID')
      : reasonedProblem(error.status);
  }
};
