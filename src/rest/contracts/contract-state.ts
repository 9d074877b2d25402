/**
 * `/api/v1/contracts/{contractIdOrAddress}/state`: the storage of a contract, now (`contract_state`) or as of a time
 * (`contract_state_change`).
 */
import { boundsOf, conjunction, type Interval } from '../../api/bounds.ts';
import { entityIdJson, linksJson, timestampJson } from '../../api/json.ts';
import { limitOf, type Order, orderOf, type PagePosition } from '../../api/page.ts';
import { limitParameter, orderParameter, timestampParameter } from '../../api/parameter-checks.ts';
import { badRequest } from '../../api/problem.ts';
import { acceptSorted, allOf, type Filter, groupQuery, type ParameterCheck } from '../../api/query.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import {
  intervalConditions,
  type StatementBuilder,
  statementBuilder,
  statementName,
  whereClause,
} from '../../api/sql.ts';
import { readInTurns } from '../../api/stepped-search.ts';
import type { Queryable } from '../../database/connection.ts';
import { leftPad, toHex, trimLeadingZeros } from '../../ledger/bytes.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { type Nanos, parseTimestamp } from '../../ledger/timestamp.ts';
import { contractTextOf, findContractId } from './contract-reference.ts';
import { evmAddressJson, WORD_DIGITS, wordJson } from './evm-json.ts';
import { namedValuesLink } from './named-values.ts';

const SLOT_LENGTH = 32;

const slotText = /^(?:0x)?([0-9A-Fa-f]{1,64})$/;

const slotParameter: ParameterCheck = (operator, value) => operator !== 'ne' && slotText.test(value);

const stateParameters = {
  limit: limitParameter,
  order: orderParameter,
  slot: slotParameter,
  timestamp: timestampParameter,
};

interface StateRow {
  readonly evm_address: Buffer | null;
  readonly modified_timestamp: string;
  readonly slot: Buffer;
  readonly value: Buffer | null;
}

const stateJson = (row: StateRow, contractId: string): string =>
  `{"address":${evmAddressJson(row.evm_address, contractId)},"contract_id":${entityIdJson(contractId)},` +
  `"timestamp":${timestampJson(row.modified_timestamp)},"slot":${wordJson(row.slot)},` +
  `"value":${row.value === null ? 'null' : wordJson(row.value)}}`;

/** The interval of times whose last change counts; an equality means "as of". Undefined when it is empty. */
const changeInterval = (filters: readonly Filter[]): Interval | undefined => {
  const timestamps = allOf(filters, 'timestamp');
  if (timestamps.some(({ operator }) => operator === 'ne')) {
    throw badRequest('Not equals (ne) operator is not supported for timestamp');
  }
  return conjunction(
    boundsOf(
      timestamps.map(({ operator, value }) => ({
        operator: operator === 'eq' ? 'lte' : operator,
        value: parseTimestamp(value) as Nanos,
      })),
    ),
  );
};

/** How a table keeps slots, and which number orders them as the table's bytes do. */
interface SlotForm {
  readonly bytesOf: (word: Buffer) => Uint8Array;
  readonly rankOf: (slot: Uint8Array) => bigint;
}

const numberOfBytes = (hex: string): bigint => (hex === '' ? 0n : BigInt(`0x${hex}`));

/** `contract_state` keeps 32 bytes, which are in the order of numbers. */
const fullSlot: SlotForm = { bytesOf: (word) => word, rankOf: (slot) => numberOfBytes(toHex(slot)) };

/** `contract_state_change` keeps no leading zeros: a slot comes after all slots that its bytes begin with. */
const trimmedSlot: SlotForm = {
  bytesOf: trimLeadingZeros,
  rankOf: (slot) => numberOfBytes(toHex(slot).padEnd(WORD_DIGITS, '0')) * 64n + BigInt(slot.length),
};

const readSlot = (text: string, { bytesOf }: SlotForm): Buffer | undefined => {
  const digits = slotText.exec(text)?.[1];
  return digits === undefined ? undefined : Buffer.from(bytesOf(Buffer.from(digits.padStart(WORD_DIGITS, '0'), 'hex')));
};

interface SlotFilters {
  /** In the order of the list; undefined: any slot. */
  readonly named: readonly Buffer[] | undefined;
  readonly bounds: readonly { readonly operator: '>' | '>=' | '<' | '<='; readonly slot: Buffer }[];
}

const sqlOperators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

const slotFilters = (filters: readonly Filter[], order: Order, form: SlotForm): SlotFilters => {
  const named = new Map<string, Buffer>();
  const bounds: SlotFilters['bounds'][number][] = [];
  for (const { operator, value } of allOf(filters, 'slot')) {
    const slot = readSlot(value, form) as Buffer;
    if (operator === 'eq') named.set(toHex(slot), slot);
    else bounds.push({ operator: sqlOperators[operator as keyof typeof sqlOperators], slot });
  }
  const sorted = [...named.values()].sort(Buffer.compare);
  return { named: named.size === 0 ? undefined : order === 'asc' ? sorted : sorted.reverse(), bounds };
};

const slotConditions = (builder: StatementBuilder, column: string, { bounds }: SlotFilters): string[] =>
  bounds.map(({ operator, slot }) => `${column} ${operator} ${builder.bind(slot)}::bytea`);

interface StateSearch {
  readonly contractId: EntityId;
  readonly filters: readonly Filter[];
  readonly order: Order;
  readonly limit: number;
}

const currentStatement = (builder: StatementBuilder, { contractId, filters, order, limit }: StateSearch): string => {
  const id = `${builder.bind(contractId)}::bigint`;
  const slots = slotFilters(filters, order, fullSlot);
  const conditions = [
    `contract_id = ${id}`,
    ...(slots.named === undefined ? [] : [`slot = any (${builder.bind(slots.named)}::bytea[])`]),
    ...slotConditions(builder, 'slot', slots),
  ];
  return `select slot, value, modified_timestamp, (select evm_address from entity where id = ${id}) as evm_address
    from contract_state${whereClause(conditions)} order by slot ${order} limit ${builder.bind(limit)}`;
};

const changeColumns = 'coalesce(value_written, value_read) as value, consensus_timestamp as modified_timestamp';

/** Slots that may have changed, in order. Walks from one to the next through the index, past all changes between. */
const walkedSlots = (id: string, inBounds: readonly string[], order: Order): string => {
  const nextSlot = (...conditions: readonly string[]) =>
    `(select slot from contract_state_change${whereClause([`contract_id = ${id}`, ...conditions, ...inBounds])}
      order by slot ${order} limit 1)`;
  const beyond = `slot ${order === 'asc' ? '>' : '<'} walked.slot`;
  return `with recursive walked(slot) as (
      ${nextSlot()} union all select ${nextSlot(beyond)} from walked where walked.slot is not null)
    select slot from walked`;
};

/**
 * The last change of each slot within an interval. As of a time, nearly every slot has one: each is looked up, so that a
 * slot with millions of changes costs as much as one with a single change. With a beginning, only the changes since then
 * are read, since most slots may have none.
 */
const pastStatement = (
  builder: StatementBuilder,
  { contractId, filters, order, limit }: StateSearch,
  interval: Interval,
): string => {
  const id = `${builder.bind(contractId)}::bigint`;
  const slots = slotFilters(filters, order, trimmedSlot);
  const inBounds = slotConditions(builder, 'slot', slots);
  const during = [`contract_id = ${id}`, ...intervalConditions(builder, 'consensus_timestamp', interval)];
  const address = `(select evm_address from entity where id = ${id}) as evm_address`;
  const first = `limit ${builder.bind(limit)}`;
  if (slots.named === undefined && interval.lower !== null) {
    return `select distinct on (slot) slot, ${changeColumns}, ${address}
      from contract_state_change${whereClause([...during, ...inBounds])}
      order by slot ${order}, consensus_timestamp desc ${first}`;
  }
  const candidates =
    slots.named === undefined
      ? walkedSlots(id, inBounds, order)
      : `select slot from unnest(${builder.bind(slots.named)}::bytea[]) named(slot)${whereClause(inBounds)}`;
  return `select s.slot, change.value, change.modified_timestamp, ${address}
    from (${candidates}) s cross join lateral (
      select ${changeColumns} from contract_state_change${whereClause([...during, 'slot = s.slot'])}
      order by consensus_timestamp desc limit 1) change ${first}`;
};

const slotPosition = (slot: Buffer, form: SlotForm): PagePosition => ({
  key: 'slot',
  value: `0x${toHex(leftPad(slot, SLOT_LENGTH))}`,
  numberOf: (text) => {
    const other = readSlot(text, form);
    return other === undefined ? undefined : form.rankOf(other);
  },
});

interface StatePage {
  readonly rows: readonly StateRow[];
  readonly form: SlotForm;
}

const readState = async (search: StateSearch, context: RouteContext): Promise<StatePage> => {
  const isPast = search.filters.some(({ key }) => key === 'timestamp');
  const form = isPast ? trimmedSlot : fullSlot;
  const interval = changeInterval(search.filters);
  if (interval === undefined) return { rows: [], form };
  const builder = statementBuilder();
  const text = isPast ? pastStatement(builder, search, interval) : currentStatement(builder, search);
  const read = (db: Queryable) => db.query<StateRow>(text, builder.values, statementName(text));
  return { rows: await (isPast ? readInTurns(context, read) : read(context.db)), form };
};

const noState: RestAnswer = { status: 200, body: '{"state":[],"links":{"next":null}}' };

export const getContractState = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const contract = contractTextOf(request);
  const query = groupQuery(request.query);
  const filters = acceptSorted(query, stateParameters, context.settings.query);
  const contractId = await findContractId(contract, context);
  if (contractId === undefined) return noState;
  const order = orderOf(filters, 'asc');
  const limit = limitOf(filters, context.settings.response.limit, request.user);
  const { rows, form } = await readState({ contractId, filters, order, limit }, context);
  const last = rows.at(-1);
  const link =
    last === undefined || rows.length < limit
      ? null
      : namedValuesLink(request, query, order, slotPosition(last.slot, form));
  const state = rows.map((row) => stateJson(row, contractId.toString())).join(',');
  return { status: 200, body: `{"state":[${state}],"links":${linksJson(link)}}`, link };
};
