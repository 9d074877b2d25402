/**
 * `/api/v1/contracts/{contractIdOrAddress}/state`: the storage of a contract, now (`contract_state`) or as of a time
 * (`contract_state_change`).
 */
import { boundsOf, conjunction, type Interval } from '../../api/bounds.ts';
import type { Order, PagePosition } from '../../api/page.ts';
import { badRequest } from '../../api/problem.ts';
import type { Filter } from '../../api/query.ts';
import { endpoint, pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import { bytesOf } from '../../api/resource/field.ts';
import { filters, limit, order, type Parameter, timestamps } from '../../api/resource/parameter.ts';
import type { ResourceRow } from '../../api/resource/resource.ts';
import type { RouteContext } from '../../api/route.ts';
import { inSnapshot } from '../../api/snapshot.ts';
import { intervalConditions, type StatementBuilder, statementBuilder, whereClause } from '../../api/sql.ts';
import { leftPad, toHex, trimLeadingZeros } from '../../ledger/bytes.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { type Nanos, parseTimestamp } from '../../ledger/timestamp.ts';
import { contractPath, contractTextOf, findContractId } from './contract-reference.ts';
import { contractSlot } from './contract-slot.ts';
import { WORD_DIGITS } from './evm-fields.ts';
import { namedValuesLink } from './named-values.ts';
import { findPastSlots, rankOfSlot } from './past-slots.ts';

const SLOT_LENGTH = 32;

const slotText = /^(?:0x)?([0-9A-Fa-f]{1,64})$/;

/**
 * The interval of times whose last change counts; an equality means "as of". Undefined when it is empty, null when the
 * storage as it is now is asked for.
 */
const changeTimes: Parameter<Interval | undefined | null> = {
  ...timestamps,
  read: (filters) => {
    if (filters.length === 0) return null;
    if (filters.some(({ operator }) => operator === 'ne')) {
      throw badRequest('Not equals (ne) operator is not supported for timestamp');
    }
    return conjunction(
      boundsOf(
        filters.map(({ operator, value }) => ({
          operator: operator === 'eq' ? 'lte' : operator,
          value: parseTimestamp(value) as Nanos,
        })),
      ),
    );
  },
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
  for (const { operator, value } of filters) {
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
  readonly slots: readonly Filter[];
  readonly order: Order;
  readonly limit: number;
}

const currentPage = (builder: StatementBuilder, { contractId, slots, order, limit }: StateSearch): string => {
  const id = `${builder.bind(contractId)}::bigint`;
  const filters = slotFilters(slots, order, fullSlot);
  const conditions = [
    `contract_id = ${id}`,
    ...(filters.named === undefined ? [] : [`slot = any (${builder.bind(filters.named)}::bytea[])`]),
    ...slotConditions(builder, 'slot', filters),
  ];
  return `select contract_id, slot, value, modified_timestamp,
      (select evm_address from entity where id = ${id}) as evm_address
    from contract_state${whereClause(conditions)} order by slot ${order} limit ${builder.bind(limit)}`;
};

const changeColumns = 'coalesce(value_written, value_read) as value, consensus_timestamp as modified_timestamp';

/** The last change of each of the slots within an interval, one probe for each, however often it changed. */
const pastPage = (
  builder: StatementBuilder,
  contractId: EntityId,
  slots: readonly Buffer[],
  inBounds: readonly string[],
  interval: Interval,
): string => {
  const id = `${builder.bind(contractId)}::bigint`;
  const during = [`contract_id = ${id}`, ...intervalConditions(builder, 'consensus_timestamp', interval)];
  return `select ${id} as contract_id, s.slot, change.value, change.modified_timestamp,
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
  readonly rows: readonly ResourceRow<'slot'>[];
  readonly form: SlotForm;
  /** The last slot that was examined where the page is not full; null when nothing is left. */
  readonly examinedTo: Buffer | null;
}

const readCurrent = async (search: StateSearch, { db }: RouteContext): Promise<StatePage> => {
  const builder = statementBuilder();
  const text = contractSlot.statement(currentPage(builder, search), `p.slot ${search.order}`);
  return { rows: await contractSlot.read(db, text, builder.values), form: fullSlot, examinedTo: null };
};

const readPast = async (search: StateSearch, interval: Interval, context: RouteContext): Promise<StatePage> => {
  const { contractId, order, limit } = search;
  const filters = slotFilters(search.slots, order, trimmedSlot);
  const inBounds = (builder: StatementBuilder) => slotConditions(builder, 'slot', filters);
  const found =
    filters.named === undefined
      ? await findPastSlots({ contractId, times: interval, inBounds, order, limit }, context)
      : { slots: filters.named, examinedTo: null };
  const builder = statementBuilder();
  const page = pastPage(builder, contractId, found.slots, inBounds(builder), interval);
  const text = contractSlot.statement(`${page} limit ${builder.bind(limit)}`, `p.slot ${order}`);
  const rows = await contractSlot.read(context.db, text, builder.values);
  return { rows, form: trimmedSlot, examinedTo: found.examinedTo };
};

const readState = async (
  search: StateSearch,
  times: Interval | undefined | null,
  context: RouteContext,
): Promise<StatePage> => {
  if (times === null) return readCurrent(search, context);
  if (times === undefined) return { rows: [], form: trimmedSlot, examinedTo: null };
  return inSnapshot(context, (snapshot) => readPast(search, times, snapshot));
};

export const contractState = endpoint({
  path: '/api/v1/contracts/{contractIdOrAddress}/state',
  flavour: 'js',
  operationId: 'getContractState',
  summary: 'List the storage of a contract',
  description:
    'Slots and what they hold now; with timestamps, the last change of each slot at the times they allow. A single timestamp means the state as of that time.',
  tag: 'contracts',
  refusals: 'sorted',
  pathParameters: contractPath,
  parameters: {
    limit,
    order: order('asc'),
    slot: filters((operator, value) => operator !== 'ne' && slotText.test(value), {
      description: 'Key of a slot in hex, compared by an optional operator. Several `eq` mean any of them.',
      schema: { type: 'array', items: { type: 'string', pattern: '^((eq|gte?|lte?):)?(0x)?[0-9A-Fa-f]{1,64}$' } },
      example: ['gt:0x1'],
    }),
    timestamp: changeTimes,
  },
  answer: pageOf('state', contractSlot, 'One page of the storage.'),
  problems: [400],

  resolve: ({ request }) => contractTextOf(request),

  handle: async ({ subject, request, query, grouped }, context) => {
    const contractId = await findContractId(subject, context);
    if (contractId === undefined) return pageAnswer('state', [], contractSlot.put, null);
    const search: StateSearch = { contractId, slots: query.slot, order: query.order, limit: query.limit };
    const { rows, form, examinedTo } = await readState(search, query.timestamp, context);
    const last = rows.at(-1);
    const passed = rows.length < search.limit ? examinedTo : last === undefined ? null : bytesOf(last.slot);
    const link = passed === null ? null : namedValuesLink(request, grouped, query.order, slotPosition(passed, form));
    return pageAnswer('state', rows, contractSlot.put, link);
  },
});
