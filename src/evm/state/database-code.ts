/** Runtime bytecode, by contract. It is not versioned: a contract's code never changes. */
import type { Queryable } from '../../database/connection.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { bytesOf } from './entity-row.ts';
import { LruMap } from './lru-map.ts';
import { ReadCache } from './read-cache.ts';

const statement = 'select id, runtime_bytecode from contract where id = any ($1::bigint[])';

const loadCode = async (db: Queryable, ids: readonly EntityId[]): Promise<(Uint8Array | undefined)[]> => {
  const rows = await db.query<{ readonly id: string; readonly runtime_bytecode: Buffer | null }>(
    statement,
    [ids],
    'evm-code',
  );
  const codes = new Map(rows.map((row) => [BigInt(row.id), bytesOf(row.runtime_bytecode)]));
  return ids.map((id) => codes.get(id));
};

/** Code that was found is kept over commits; that there is none is forgotten with the next one. */
export class CodeReads {
  readonly #found: LruMap<EntityId, Uint8Array>;
  readonly #reads: ReadCache<EntityId, Uint8Array | undefined>;

  constructor(db: Queryable, limit: number) {
    this.#found = new LruMap(limit);
    this.#reads = new ReadCache({ keyOf: (id) => id, load: (ids) => loadCode(db, ids), limit });
  }

  async read(contractId: EntityId): Promise<Uint8Array | undefined> {
    const found = this.#found.get(contractId);
    if (found !== undefined) return found;
    const code = await this.#reads.read(contractId);
    if (code !== undefined) this.#found.set(contractId, code);
    return code;
  }

  clear(): void {
    this.#reads.clear();
  }
}
