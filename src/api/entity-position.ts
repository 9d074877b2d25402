/** Where the next page of a list starts that is paged by an entity's id. */
import { type EntityId, formatEntityId } from '../ledger/entity-id.ts';
import { type HomeRealm, readEntityReference } from './entity-reference.ts';
import type { PagePosition } from './page.ts';
import { HttpProblem } from './problem.ts';

/** The id that a text writes; undefined when it writes none, or an address that only the database can resolve. */
const idOf = (text: string, home: HomeRealm): EntityId | undefined => {
  try {
    const reference = readEntityReference(text, home);
    return 'id' in reference ? reference.id : undefined;
  } catch (error) {
    if (error instanceof HttpProblem) return undefined;
    throw error;
  }
};

/** Position in a list that is paged by ids. @param id digits of the last row's id */
export const entityIdPosition = (key: string, id: string, home: HomeRealm): PagePosition => ({
  key,
  value: formatEntityId(id),
  numberOf: (text) => idOf(text, home),
});

/** Position in a list that is paged by plain numbers. @param digits of the last row */
export const numberPosition = (key: string, digits: string): PagePosition => ({
  key,
  value: digits,
  numberOf: (text) => (/^\d+$/.test(text) ? BigInt(text) : undefined),
});
