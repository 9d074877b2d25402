/** How accounts are shown: by the key that is their alias, if they have one, else by their id. */
import type { Queryable } from '../../database/connection.ts';
import { formatEntityId } from '../../ledger/entity-id.ts';
import { aliasAddress, isKeyAlias } from './address.ts';

const aliasesSql = 'select id, alias from entity where id = any($1::bigint[]) and alias is not null';

export interface AccountNames {
  /** Addresses by id (decimal digits). */
  read(database: Queryable, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, string>>;
}

/** @param maxSize how many aliases are kept; an account's alias never changes */
export const createAccountNames = (maxSize: number): AccountNames => {
  const kept = new Map<string, string>();
  const keep = (id: string, address: string): void => {
    kept.delete(id);
    kept.set(id, address);
    const [oldest] = kept.keys();
    if (kept.size > maxSize && oldest !== undefined) kept.delete(oldest);
  };
  return {
    read: async (database, ids) => {
      const names = new Map<string, string>();
      const missing: string[] = [];
      for (const id of ids) {
        const known = kept.get(id);
        if (known === undefined) missing.push(id);
        else {
          names.set(id, known);
          keep(id, known);
        }
      }
      if (missing.length === 0) return names;
      for (const id of missing) names.set(id, formatEntityId(id));
      const rows = await database.query<{ id: string; alias: Buffer }>(aliasesSql, [missing], 'rosetta-aliases');
      for (const { id, alias } of rows) {
        if (!isKeyAlias(alias)) continue;
        const address = aliasAddress(alias);
        names.set(id, address);
        keep(id, address);
      }
      return names;
    },
  };
};
