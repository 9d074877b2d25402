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
import { inSnapshot } from '../../api/snapshot.ts';
import {
  intervalConditions,
  type StatementBuilder,
  statementBuilder,
  statementName,
  whereClause,
} from '../../api/sql.ts';
import { leftPad, toHex, trimLeadingZeros } from '../../ledger/bytes.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { type Nanos, parseTimestamp } from '../../ledger/timestamp.ts';
import { contractTextOf, findContractId } from './contract-reference.ts';
import { evmAddressJson, WORD_DIGITS, wordJson } from './evm-json.ts';
import { namedValuesLink } from './named-values.ts';
import { findPastSlots, rankOfSlot } from './past-slots.ts';

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

/** `contract_state_change` keeps no leading zeros. */
const trimmedSlot: SlotForm = {
  bytesOf: trimLeadingZeros,
  rankOf: rankOfSlot,
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

/** The last change of each of the slots within an interval, one probe for each, however often it changed. */
const pastStatement = (
  builder: StatementBuilder,
  contractId: EntityId,
  slots: readonly Buffer[],
  inBounds: readonly string[],
  interval: Interval,
): string => {
  const id = `${builder.bind(contractId)}::bigint`;
  const during = [`contract_id = ${id}`, ...intervalConditions(builder, 'consensus_timestamp', interval)];
  return `select s.slot, change.value, change.modified_timestamp,
      (select evm_address from entity where id = ${id}) as evm_address
    from (select slot from unnest(${builder.bind(slots)}::bytea[]) named(slot)${whereClause(inBounds)}) s
    cross join lateral (
      select ${changeColumns} from contract_state_change${whereClause([...during, 'slot = s.slot'])}
      order by consensus_timestamp desc limit 1) change`;
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
  /** The last slot that was examined where the page is not full; null when nothing is left. */
  readonly examinedTo: Buffer | null;
}

const readCurrent = async (search: StateSearch, { db }: RouteContext): Promise<StatePage> => {
  const builder = statementBuilder();
  const text = currentStatement(builder, search);
  const rows = await db.query<StateRow>(text, builder.values, statementName(text));
  return { rows, form: fullSlot, examinedTo: null };
};

const readPast = async (search: StateSearch, interval: Interval, context: RouteContext): Promise<StatePage> => {
  const { contractId, filters, order, limit } = search;
  const slots = slotFilters(filters, order, trimmedSlot);
  const inBounds = (builder: StatementBuilder) => slotConditions(builder, 'slot', slots);
  const found =
    slots.named === undefined
      ? await findPastSlots({ contractId, times: interval, inBounds, order, limit }, context)
      : { slots: slots.named, examinedTo: null };
  const builder = statementBuilder();
  const statement = pastStatement(builder, contractId, found.slots, inBounds(builder), interval);
  const text = `${statement} limit ${builder.bind(limit)}`;
  const rows = await context.db.query<StateRow>(text, builder.values, statementName(text));
  return { rows, form: trimmedSlot, examinedTo: found.examinedTo };
};

const readState = async (search: StateSearch, context: RouteContext): Promise<StatePage> => {
  if (!search.filters.some(({ key }) => key === 'timestamp')) return readCurrent(search, context);
  const interval = changeInterval(search.filters);
  if (interval === undefined) return { rows: [], form: trimmedSlot, examinedTo: null };
  return inSnapshot(context, (snapshot) => readPast(search, interval, snapshot));
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
  const { rows, form, examinedTo } = await readState({ contractId, filters, order, limit }, context);
  const passed = rows.length < limit ? examinedTo : (rows.at(-1)?.slot ?? null);
  const link = passed === null ? null : namedValuesLink(request, query, order, slotPosition(passed, form));
  const state = rows.map((row) => stateJson(row, contractId.toString())).join(',');
  return { status: 200, body: `{"state":[${state}],"links":${linksJson(link)}}`, link };
};
