/**
 * Which slots of a contract changed within an interval, in their order: page by page, though slots without such a change may
 * be many, and changes too. Either the slots are walked, each asked for a change, or the changes of the time are gathered.
 */
import { everything, type Interval } from '../../api/bounds.ts';
import type { Order } from '../../api/page.ts';
import { searchByRacing, type Walk, type WalkStep } from '../../api/raced-search.ts';
import type { RouteContext } from '../../api/route.ts';
import {
  intervalConditions,
  type StatementBuilder,
  statementBuilder,
  statementName,
  whereClause,
} from '../../api/sql.ts';
import type { SteppedResult } from '../../api/stepped-search.ts';
import type { EntityId } from '../../ledger/entity-id.ts';

export interface PastSlots {
  readonly contractId: EntityId;
  /** When the change may have been. */
  readonly times: Interval;
  /** Conditions on `slot`, beside those of the walk. */
  readonly inBounds: (builder: StatementBuilder) => readonly string[];
  readonly order: Order;
  readonly limit: number;
}

const WORD_DIGITS = 64;
const ranksOfSlot = 64n;

/** The number that orders slots without leading zeros as bytes do: one comes after all that its bytes begin with. */
export const rankOfSlot = (slot: Uint8Array): bigint => {
  const digits = Buffer.from(slot).toString('hex').padEnd(WORD_DIGITS, '0');
  return BigInt(`0x${digits}`) * ranksOfSlot + BigInt(slot.length);
};

const slotOfRank = (rank: bigint): Buffer => {
  const digits = (rank / ranksOfSlot).toString(16).padStart(WORD_DIGITS, '0');
  return Buffer.from(digits.slice(0, Number(rank % ranksOfSlot) * 2), 'hex');
};

/** The interval ends beside slots that were examined. */
const rankConditions = (builder: StatementBuilder, { lower, upper }: Interval): string[] => [
  ...(lower === null ? [] : [`slot > ${builder.bind(slotOfRank(lower - 1n))}::bytea`]),
  ...(upper === null ? [] : [`slot < ${builder.bind(slotOfRank(upper + 1n))}::bytea`]),
];

interface StepRow {
  readonly found: readonly Buffer[] | null;
  readonly examined: number;
  readonly last: Buffer | null;
}

const ranksOf = (slots: readonly Buffer[] | null, order: Order, limit: number): bigint[] => {
  const sign = order === 'asc' ? 1 : -1;
  return (slots ?? [])
    .map(rankOfSlot)
    .sort((a, b) => (a < b ? -sign : sign))
    .slice(0, limit);
};

/** From one slot to the next through the index by contract and slot, past all changes between. */
const bySlot = ({ contractId, times, inBounds, order }: PastSlots): Walk => ({
  step: async (db, interval, rows, limit): Promise<WalkStep> => {
    const builder = statementBuilder();
    const id = `${builder.bind(contractId)}::bigint`;
    const range = [...inBounds(builder), ...rankConditions(builder, interval)];
    const nextSlot = (...conditions: readonly string[]) =>
      `(select slot from contract_state_change${whereClause([`contract_id = ${id}`, ...conditions, ...range])}
        order by slot ${order} limit 1)`;
    const beyond = `slot ${order === 'asc' ? '>' : '<'} walked.slot`;
    const during = [
      `contract_id = ${id}`,
      'slot = w.slot',
      ...intervalConditions(builder, 'consensus_timestamp', times),
    ];
    const text = `with recursive walked(slot) as (
        ${nextSlot()} union all select ${nextSlot(beyond)} from walked where walked.slot is not null)
      select array_agg(w.slot) filter (
          where (select true from contract_state_change${whereClause(during)} limit 1)) as found,
        count(*)::int as examined, (array_agg(w.slot))[count(*)::int] as last
      from (select slot from walked where slot is not null limit ${rows}) w`;
    const [step] = await db.query<StepRow>(text, builder.values, statementName(text));
    if (step === undefined || step.last === null) return { found: [], reached: 'end' };
    const found = ranksOf(step.found, order, limit);
    return { found, reached: step.examined < rows ? 'end' : rankOfSlot(step.last) };
  },
});

/** The changes of all contracts within the time, of which there may be few. */
const byTime = ({ contractId, times, inBounds, order }: PastSlots): Walk => ({
  step: async (db, interval, rows, limit): Promise<WalkStep> => {
    const builder = statementBuilder();
    const changes =
      `select contract_id, slot from contract_state_change` +
      `${whereClause(intervalConditions(builder, 'consensus_timestamp', times))} limit ${rows + 1}`;
    const ofContract = [
      `contract_id = ${builder.bind(contractId)}::bigint`,
      ...inBounds(builder),
      ...rankConditions(builder, interval),
    ];
    const text = `with changed as materialized (${changes})
      select array(select distinct slot from changed${whereClause(ofContract)}) as found,
        (select count(*)::int from changed) as examined, null::bytea as last`;
    const [step] = await db.query<StepRow>(text, builder.values, statementName(text));
    if (step === undefined || step.examined > rows) return { found: [], reached: 'nowhere' };
    return { found: ranksOf(step.found, order, limit), reached: 'end' };
  },
});

export interface FoundSlots {
  readonly slots: readonly Buffer[];
  /** The last slot that was examined; null when nothing is left beyond those found, or beyond the last of a full page. */
  readonly examinedTo: Buffer | null;
}

/** The first slots of the order that changed within the time; see `searchByRacing`. */
export const findPastSlots = async (search: PastSlots, context: RouteContext): Promise<FoundSlots> => {
  const { order, limit, times } = search;
  const isTimed = times.lower !== null || times.upper !== null;
  const walks = isTimed ? [bySlot(search), byTime(search)] : [bySlot(search)];
  const result: SteppedResult<bigint> = await searchByRacing({ interval: everything, order, limit, walks }, context);
  const { rows, examinedTo } = result;
  return { slots: rows.map(slotOfRank), examinedTo: examinedTo === null ? null : slotOfRank(examinedTo) };
};
