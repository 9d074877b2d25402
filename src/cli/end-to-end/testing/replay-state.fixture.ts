/**
 * State before a transaction, where an excerpt of a network's stream begins in the middle of its history: what sidecars
 * and earlier replays show of contracts from before, and accounts that stand for those that the excerpt only mentions.
 */
import type { Database } from '../../../database/connection.ts';
import type { EntityRecord, WordHex } from '../../../evm/state/records.ts';
import type { StateReader } from '../../../evm/state/state-reader.ts';
import { entityRecord } from '../../../evm/state/testing/memory-reader.fixture.ts';
import type { World } from '../../../evm/state/world.ts';
import type { RecordedTransaction } from '../../../evm/traces/recorded-transaction.ts';

/** Numbers that a run leaves out between those of the ledger and its own. */
const LEFT_OUT = 1_000n;

const slotKey = (contractId: bigint, slot: WordHex): string => `${contractId} ${slot}`;

export class ReplayState {
  readonly #db: Database;
  readonly #codes = new Map<bigint, Uint8Array>();
  readonly #slots = new Map<string, WordHex>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Whether the sidecars of the block tell storage at all. */
  async tellsStorage(timestamp: bigint): Promise<boolean> {
    const rows = await this.#db.query(
      'select 1 from sidecar_file where consensus_end >= $1 and 1 = any(types) limit 1',
      [timestamp.toString()],
    );
    return rows.length > 0;
  }

  async readerAt(
    timestamp: bigint,
    stored: StateReader,
    { transaction, contractId }: RecordedTransaction,
  ): Promise<StateReader> {
    const read = await this.#db.query<{ id: string; slot: string; value: string }>(
      `select contract_id as id, lpad(encode(slot, 'hex'), 64, '0') as slot,
         lpad(encode(value_read, 'hex'), 64, '0') as value
       from contract_state_change where consensus_timestamp = $1`,
      [timestamp.toString()],
    );
    const told = new Map(read.map(({ id, slot, value }) => [slotKey(BigInt(id), slot), value]));
    const first = await this.#firstCreated(timestamp, contractId);
    const isCall = transaction.to !== undefined;
    const missing = new Map<bigint, EntityRecord>();
    const from = transaction.from === undefined ? undefined : BigInt(`0x${transaction.from}`);
    if (from !== undefined && from < 1n << 38n) missing.set(from, entityRecord(from, { createdTimestamp: 0n }));
    if (isCall) missing.set(contractId, entityRecord(contractId, { type: 'CONTRACT', nonce: 1n }));
    return {
      ...stored,
      entity: async (id) => (await stored.entity(id)) ?? missing.get(id),
      lastEntityId: async () => (first === undefined ? stored.lastEntityId() : first - LEFT_OUT - 1n),
      code: async (id) => this.#codes.get(id) ?? stored.code(id),
      slot: async (id, slot) =>
        told.get(slotKey(id, slot)) ?? this.#slots.get(slotKey(id, slot)) ?? stored.slot(id, slot),
    };
  }

  /** The first entity that a transaction created besides its contract, by itself or by its children. */
  async #firstCreated(timestamp: bigint, contractId: bigint): Promise<bigint | undefined> {
    const [row] = await this.#db.query<{ id: string | null }>(
      `select min(entity.id) as id from transaction parent
       join transaction part using (payer_account_id, valid_start_ns)
       join entity on entity.created_timestamp = part.consensus_timestamp
       where parent.consensus_timestamp = $1 and part.consensus_timestamp >= $1 and entity.id <> $2`,
      [timestamp, contractId],
    );
    return row === undefined || row.id === null ? undefined : BigInt(row.id);
  }

  /** Keeps code and storage of a run, under the ids by which the ledger knows the contracts it created. */
  async remember(world: World, created: ReadonlyMap<bigint, bigint>): Promise<void> {
    for (const [ours, theirs] of created) {
      const code = await world.code(ours);
      if (code !== undefined) this.#codes.set(theirs, code);
    }
    for (const [id, slot, value] of world.changedSlots()) this.#slots.set(slotKey(created.get(id) ?? id, slot), value);
  }
}
