/**
 * Storage of contracts. The first miss of a contract reads at once what its runs are likely to ask for: the slots that
 * earlier runs asked for, or for a contract not met before those that its newest results touched and those of its
 * declared variables (low slot numbers).
 */
import { trimLeadingZeros } from '../../ledger/bytes.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import type { HotSlots } from './hot-slots.ts';
import type { Moment } from './moment.ts';
import { ReadCache } from './read-cache.ts';
import type { WordHex } from './records.ts';

interface SlotKey {
  readonly contractId: EntityId;
  readonly slot: WordHex;
}

interface SlotRow {
  readonly slot: Buffer;
  readonly value: Buffer | null;
}

interface NumberedValue {
  readonly n: string;
  readonly value: Buffer | null;
}

const RECENT_RESULTS = 25;
const MOST_TOUCHED = 1_000;
const FIRST_SLOTS = 250;

const ZERO: WordHex = '0'.repeat(64);

const wordOf = (bytes: Buffer | null): WordHex => bytes?.toString('hex').padStart(64, '0') ?? ZERO;
const slotBytes = (slot: WordHex): Buffer => Buffer.from(slot, 'hex');

/** Changes carry slots as sidecars do, without leading zeros. */
const changeSlot = (slot: WordHex): Uint8Array => trimLeadingZeros(slotBytes(slot));

const latestValues = `
  select asked.n, s.value from unnest($1::bigint[], $2::bytea[]) with ordinality as asked(contract_id, slot, n)
  join contract_state s on s.contract_id = asked.contract_id and s.slot = asked.slot`;

const pastValues = `
  select asked.n, c.value from unnest($1::bigint[], $2::bytea[]) with ordinality as asked(contract_id, slot, n)
  cross join lateral (
    select coalesce(value_written, value_read) as value from contract_state_change
    where contract_id = asked.contract_id and slot = asked.slot and consensus_timestamp <= $3
    order by consensus_timestamp desc limit 1
  ) c`;

/** Slots that the newest results of a contract read or wrote, as sidecars name them. */
const touchedBy = (until: string): string => `
  select distinct slot from (
    select c.slot from (
      select consensus_timestamp from contract_result where contract_id = $1${until}
      order by consensus_timestamp desc limit ${RECENT_RESULTS}
    ) recent
    join contract_state_change c on c.consensus_timestamp = recent.consensus_timestamp and c.contract_id = $1
    limit ${MOST_TOUCHED}
  ) touched`;

const firstSlots = `select slot from contract_state where contract_id = $1 order by slot limit ${FIRST_SLOTS}`;

const padded = "decode(lpad(encode(slot, 'hex'), 64, '0'), 'hex')";

const latestGuess = `
  select guessed.slot, s.value from (
    select ${padded} as slot from (${touchedBy('')}) t union (${firstSlots})
  ) guessed
  left join contract_state s on s.contract_id = $1 and s.slot = guessed.slot`;

const pastGuess = `
  select guessed.slot, c.value from (
    (${touchedBy(' and consensus_timestamp <= $2')})
    union select ltrim(slot, '\\x00'::bytea) as slot from (${firstSlots}) f
  ) guessed
  left join lateral (
    select coalesce(value_written, value_read) as value from contract_state_change
    where contract_id = $1 and slot = guessed.slot and consensus_timestamp <= $2
    order by consensus_timestamp desc limit 1
  ) c on true`;

const loadSlots = async ({ db, at }: Moment, keys: readonly SlotKey[]): Promise<WordHex[]> => {
  const contractIds = keys.map(({ contractId }) => contractId);
  const slots = keys.map(({ slot }) => (at === undefined ? slotBytes(slot) : changeSlot(slot)));
  const rows =
    at === undefined
      ? await db.query<NumberedValue>(latestValues, [contractIds, slots], 'evm-slots')
      : await db.query<NumberedValue>(pastValues, [contractIds, slots, at], 'evm-past-slots');
  const values = keys.map(() => ZERO);
  for (const { n, value } of rows) values[Number(n) - 1] = wordOf(value);
  return values;
};

const guessSlots = ({ db, at }: Moment, contractId: EntityId): Promise<SlotRow[]> =>
  at === undefined
    ? db.query<SlotRow>(latestGuess, [contractId], 'evm-slot-guess')
    : db.query<SlotRow>(pastGuess, [contractId, at], 'evm-past-slot-guess');

export class StorageReads {
  readonly #moment: Moment;
  readonly #hot: HotSlots;
  readonly #slots: ReadCache<SlotKey, WordHex>;
  #prefetches = new Map<EntityId, Promise<void>>();

  constructor(moment: Moment, hot: HotSlots, limit: number) {
    this.#moment = moment;
    this.#hot = hot;
    this.#slots = new ReadCache({
      keyOf: ({ contractId, slot }) => `${contractId} ${slot}`,
      load: (keys) => loadSlots(moment, keys),
      limit,
    });
  }

  async read(contractId: EntityId, slot: WordHex): Promise<WordHex> {
    const key = { contractId, slot };
    const known = this.#hot.of(contractId);
    this.#hot.note(contractId, slot);
    if (this.#slots.has(key)) return this.#slots.read(key);
    const prefetch = this.#prefetches.get(contractId);
    if (prefetch !== undefined) await prefetch;
    else if (known === undefined) this.#prefetches.set(contractId, this.#guess(contractId));
    else this.#prefetches.set(contractId, this.#readAgain(contractId, known));
    return this.#slots.read(key);
  }

  clear(): void {
    this.#slots.clear();
    this.#prefetches = new Map();
  }

  /** Goes out in one load with the slot that was missed, which carries the fault if it fails. */
  async #readAgain(contractId: EntityId, slots: readonly WordHex[]): Promise<void> {
    await Promise.allSettled(slots.map((slot) => this.#slots.read({ contractId, slot })));
  }

  /** Only a help: when it fails, slots are read one by one. */
  async #guess(contractId: EntityId): Promise<void> {
    const prefetches = this.#prefetches;
    const rows = await guessSlots(this.#moment, contractId).catch(() => []);
    // After a commit these values may be out of date.
    if (prefetches !== this.#prefetches) return;
    for (const { slot, value } of rows) this.#slots.prime({ contractId, slot: wordOf(slot) }, wordOf(value));
  }
}
