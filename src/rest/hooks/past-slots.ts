/**
 * What the slots of a hook held in the past: page by page, though slots without a change within the time may be many, and
 * changes too. Changes name a slot as the network did, with any number of leading zeros; slots compare by their 32 bytes.
 */
import type { Interval } from '../../api/bounds.ts';
import type { Order } from '../../api/page.ts';
import { searchByRacing, type Walk, type WalkStep } from '../../api/raced-search.ts';
import type { PageStatement, ResourceRow } from '../../api/resource/resource.ts';
import type { RouteContext } from '../../api/route.ts';
import type { Reader } from '../../database/connection.ts';
import { toHex } from '../../ledger/bytes.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { hookSlot } from './hook-slot.ts';
import { slotKeyBytes } from './slot-keys.ts';

export interface PastSlots {
  readonly ownerId: EntityId;
  readonly hookId: bigint;
  /** When the change may have been, both inclusive. */
  readonly times: { readonly lower: bigint; readonly upper: bigint };
}

/** As the index `hook_storage_change__slot` has it. */
const slotOf = (column: string): string => `decode(lpad(encode(${column}, 'hex'), 64, '0'), 'hex')`;

interface StepRow {
  readonly found: readonly Buffer[] | null;
  readonly examined: number;
  readonly last: Buffer | null;
}

const numberOf = (slot: Uint8Array): bigint => BigInt(`0x${toHex(slot)}`);

const bySlotSql = (order: Order): string => {
  const nextSlot = (condition = '') => `(
    select ${slotOf('key')} as slot from hook_storage_change
    where owner_id = $1 and hook_id = $2 and ${slotOf('key')} between $5 and $6 ${condition}
    order by ${slotOf('key')} ${order} limit 1)`;
  return `
  with recursive walked(slot) as (
    ${nextSlot()}
    union all
    select ${nextSlot(`and ${slotOf('key')} ${order === 'asc' ? '>' : '<'} walked.slot`)} from walked
    where walked.slot is not null
  )
  select count(*)::int as examined, (array_agg(w.slot))[count(*)::int] as last,
    array_agg(w.slot) filter (where (
      select true from hook_storage_change change
      where owner_id = $1 and hook_id = $2 and ${slotOf('key')} = w.slot and consensus_timestamp between $3 and $4
      limit 1)) as found
  from (select slot from walked where slot is not null limit $7) w`;
};

const bySlotSqlByOrder = { asc: bySlotSql('asc'), desc: bySlotSql('desc') };

const valuesOf = ({ ownerId, hookId, times }: PastSlots, { lower, upper }: Interval): unknown[] => [
  ...[ownerId, hookId, times.lower, times.upper],
  ...[lower, upper].map((bound) => slotKeyBytes(bound as bigint)),
];

/** From one slot to the next through the index by slot, past all changes between. */
const bySlot = (search: PastSlots, order: Order): Walk => ({
  step: async (db, interval, rows, limit): Promise<WalkStep> => {
    const values = [...valuesOf(search, interval), rows];
    const [step] = await db.query<StepRow>(bySlotSqlByOrder[order], values, `hook-storage-past-slots-${order}`);
    if (step === undefined || step.last === null) return { found: [], reached: 'end' };
    // All slots that were examined count, unless the page is full before.
    const found = (step.found ?? []).map(numberOf).slice(0, limit);
    return { found, reached: step.examined < rows ? 'end' : numberOf(step.last) };
  },
});

interface Gathering {
  readonly interval: Interval;
  readonly rows: number;
  readonly limit: number;
  readonly order: Order;
}

/** Slots that were found in no order, if all could be examined. */
const gather = async (
  db: Reader,
  text: string,
  name: string,
  search: PastSlots,
  { interval, rows, limit, order }: Gathering,
): Promise<WalkStep> => {
  const values = [...valuesOf(search, interval), rows + 1];
  const [step] = await db.query<StepRow>(text, values, `hook-storage-past-${name}`);
  if (step === undefined || step.examined > rows) return { found: [], reached: 'nowhere' };
  const sign = order === 'asc' ? 1 : -1;
  const slots = (step.found ?? []).map(numberOf).sort((a, b) => (a < b ? -sign : sign));
  return { found: slots.slice(0, limit), reached: 'end' };
};

const changesWithinTime = (condition: string, examined: string): string => `
  with changed as materialized (
    select key from hook_storage_change
    where owner_id = $1 and hook_id = $2 and consensus_timestamp between $3 and $4${condition}
    limit $7
  )
  select ${examined} as examined, null::bytea as last,
    array(select distinct ${slotOf('key')} from changed where ${slotOf('key')} between $5 and $6) as found`;

const examinedChanges = '(select count(*)::int from changed)';
const byTimeSql = changesWithinTime('', examinedChanges);

const hasTimeIndex = "to_regclass('hook_storage_change__consensus_timestamp') is not null";
const byIndexedTimeSql = changesWithinTime(
  ` and ${hasTimeIndex}`,
  `case when ${hasTimeIndex} then ${examinedChanges} else $7::int end`,
);

/** The hook's changes within the time, of which there may be few. */
const byTime = (search: PastSlots, order: Order): Walk => ({
  // A database that lacks the index by time examines all changes of the hook.
  isLong: true,
  step: (db, interval, rows, limit) => gather(db, byTimeSql, 'times', search, { interval, rows, limit, order }),
});

/** The same where the index by time ends it after so many rows; elsewhere it examines nothing. */
const byIndexedTime = (search: PastSlots, order: Order): Walk => ({
  step: (db, interval, rows, limit) =>
    gather(db, byIndexedTimeSql, 'indexed-times', search, { interval, rows, limit, order }),
});

const byFormSql = `
  with recursive form(key) as (
    (select key from hook_storage_change where owner_id = $1 and hook_id = $2 order by key limit 1)
    union all
    select (
      select next.key from hook_storage_change next
      where next.owner_id = $1 and next.hook_id = $2 and next.key > form.key
      order by next.key limit 1
    )
    from form where form.key is not null
  ), walked as materialized (select key from form where key is not null limit $7)
  select (select count(*)::int from walked) as examined, null::bytea as last,
    array(
      select distinct ${slotOf('key')} from walked
      where ${slotOf('key')} between $5 and $6 and (
        select true from hook_storage_change change
        where owner_id = $1 and hook_id = $2 and change.key = walked.key and consensus_timestamp between $3 and $4
        limit 1)
    ) as found`;

/** All forms of a hook's slots through the primary key, as long as they are few: a database may lack the index by slot. */
const byForm = (search: PastSlots, order: Order): Walk => ({
  step: (db, interval, rows, limit) => gather(db, byFormSql, 'forms', search, { interval, rows, limit, order }),
});

export interface FoundSlots {
  readonly slots: readonly bigint[];
  /** The last slot that was examined; null when nothing is left beyond those found, or beyond the last of a full page. */
  readonly examinedTo: bigint | null;
}

/** The first slots of the order within the bounds that changed within the time; see `searchByRacing`. */
export const findPastSlots = async (
  search: PastSlots,
  keys: { readonly lower: bigint; readonly upper: bigint },
  page: { readonly order: Order; readonly limit: number },
  context: RouteContext,
): Promise<FoundSlots> => {
  const interval = { lower: keys.lower, upper: keys.upper, excluded: [] };
  const { order } = page;
  const walks = [byIndexedTime, bySlot, byForm, byTime].map((walk) => walk(search, order));
  const { rows, examinedTo } = await searchByRacing({ interval, ...page, walks }, context);
  return { slots: rows, examinedTo };
};

/** A slot with each number of leading zeros that it may be named with. */
const formsOf = (slot: Buffer): Buffer[] => {
  const forms = [slot];
  for (let rest = slot; rest[0] === 0; forms.push(rest)) rest = rest.subarray(1);
  return forms;
};

/** The forms are for databases without the index by slot. */
const newestChangesSql = (order: Order): PageStatement =>
  hookSlot.statement(
    `select slot.key, change.timestamp, change.value
    from (
      select named.key, array_agg(named.form) as forms from unnest($5::bytea[], $6::bytea[]) named(key, form)
      group by named.key
    ) slot
    cross join lateral (
      select consensus_timestamp as timestamp, coalesce(value_written, value_read) as value from hook_storage_change
      where owner_id = $1 and hook_id = $2 and ${slotOf('key')} = slot.key and key = any (slot.forms)
        and consensus_timestamp between $3 and $4
      order by consensus_timestamp desc
      limit 1
    ) change
    order by slot.key ${order}
    limit $7`,
    `p.key ${order}`,
  );

const newestChangesSqlByOrder = { asc: newestChangesSql('asc'), desc: newestChangesSql('desc') };

/** The newest change within the time of those slots that have one, in order. */
export const readPastSlots = (
  { ownerId, hookId, times }: PastSlots,
  slots: readonly bigint[],
  { order, limit }: { readonly order: Order; readonly limit: number },
  db: Reader,
): Promise<ResourceRow<'key'>[]> => {
  const forms = slots.map(slotKeyBytes).flatMap((slot) => formsOf(slot).map((form) => ({ slot, form })));
  const columns = [forms.map(({ slot }) => slot), forms.map(({ form }) => form)];
  const values = [ownerId, hookId, times.lower, times.upper, ...columns, limit];
  return hookSlot.read(db, newestChangesSqlByOrder[order], values);
};
