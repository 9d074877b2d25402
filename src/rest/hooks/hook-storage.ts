/**
 * GET /api/v1/accounts/{id}/hooks/{hookId}/storage: the slots of a hook. Without a timestamp those that are set now;
 * with one, the newest change of each slot within the range, cleared slots included.
 */
import { readJavaAccountReference, resolveJavaReference } from '../../api/java-account-lookup.ts';
import { failedToConvert, javaLimit, javaOrder, limitFaults, refuseFaults } from '../../api/java-parameters.ts';
import { javaNextLink } from '../../api/java-ranges.ts';
import { linksJson } from '../../api/json.ts';
import type { Order } from '../../api/page.ts';
import { MAX_INT8 } from '../../api/parameter-checks.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import { readInTurns } from '../../api/stepped-search.ts';
import { toHex } from '../../ledger/bytes.ts';
import { type EntityId, formatEntityId } from '../../ledger/entity-id.ts';
import { type TimestampBounds, timestampBounds } from '../network/timestamp-bounds.ts';
import { timestampJson } from '../network/timestamp-json.ts';
import { type SlotKeys, slotKeyBytes, slotKeyFaults, slotKeys } from './slot-keys.ts';

interface SlotRow {
  /** 32 bytes. */
  readonly key: Buffer;
  readonly timestamp: string;
  /** Without leading zeros; none: the slot is not set. */
  readonly value: Buffer;
}

const word = (bytes: Buffer): string => `0x${toHex(bytes).padStart(64, '0')}`;

const slotJson = ({ key, timestamp, value }: SlotRow): string =>
  `{"key":"${word(key)}","timestamp":${timestampJson(timestamp)},` +
  `"value":${value.length === 0 ? 'null' : `"${word(value)}"`}}`;

interface StoragePage {
  readonly hookId: bigint;
  readonly keys: SlotKeys;
  readonly limit: number;
  readonly order: Order;
  /** Undefined: what is set now. */
  readonly timestamps: TimestampBounds | undefined;
}

const hookIdOf = (text: string): bigint => {
  const id = /^[+-]?\d{1,19}$/.test(text) ? BigInt(text.replace('+', '')) : undefined;
  if (id === undefined || id > MAX_INT8 || id < -MAX_INT8 - 1n) throw failedToConvert('hookId');
  return id;
};

const pageOf = ({ pathParameters, query }: RestRequest): StoragePage => {
  const hookId = hookIdOf(pathParameters.hookId ?? '');
  const keys = slotKeys(query);
  const timestamps = timestampBounds(query);
  const limit = javaLimit(query);
  const order = javaOrder(query);
  refuseFaults([
    ...(hookId < 0n ? ['hookId must be greater than or equal to 0'] : []),
    ...slotKeyFaults(query),
    ...limitFaults(limit),
  ]);
  const isPast = timestamps.lowerGiven || timestamps.upperGiven;
  return { hookId, keys, limit, order, timestamps: isPast ? timestamps : undefined };
};

const currentSql = (order: Order): string => `
  select key, modified_timestamp as timestamp, value from hook_storage
  where owner_id = $1 and hook_id = $2 and key between $3 and $4 and ($5::bytea[] is null or key = any ($5))
    and deleted is false
  order by key ${order}
  limit $6`;

const currentSqlByOrder = { asc: currentSql('asc'), desc: currentSql('desc') };

/** Changes name a slot as the network did, usually without leading zeros: this is how all of them compare. */
const slotOfForm = "decode(lpad(encode(form.key, 'hex'), 64, '0'), 'hex')";

/** The newest change of each slot under any of its forms; one index probe for each, however often it changed. */
const newestChanges = (order: Order): string => `
  select slot.key, change.timestamp, change.value
  from slot
  cross join lateral (
    select consensus_timestamp as timestamp, coalesce(value_written, value_read) as value from hook_storage_change
    where owner_id = $1 and hook_id = $2 and key = any (slot.forms) and consensus_timestamp between $3 and $4
    order by consensus_timestamp desc
    limit 1
  ) change
  order by slot.key ${order}
  limit $5`;

/** Walks from form to form, however often each changed. */
const pastSql = (order: Order): string => `
  with recursive form as (
    (select key from hook_storage_change where owner_id = $1 and hook_id = $2 order by key limit 1)
    union all
    select (
      select next.key from hook_storage_change next
      where next.owner_id = $1 and next.hook_id = $2 and next.key > form.key
      order by next.key limit 1
    )
    from form where form.key is not null
  ), slot as (
    select ${slotOfForm} as key, array_agg(form.key) as forms from form
    where form.key is not null and ${slotOfForm} between $6 and $7
    group by 1
  )${newestChanges(order)}`;

const pastSqlByOrder = { asc: pastSql('asc'), desc: pastSql('desc') };

const pastOfNamedSql = (order: Order): string => `
  with slot as (
    select named.key, array_agg(named.form) as forms from unnest($6::bytea[], $7::bytea[]) named(key, form)
    group by named.key
  )${newestChanges(order)}`;

const pastOfNamedSqlByOrder = { asc: pastOfNamedSql('asc'), desc: pastOfNamedSql('desc') };

/** A slot with each number of leading zeros that it may be named with. */
const formsOf = (slot: Buffer): Buffer[] => {
  const forms = [slot];
  for (let rest = slot; rest[0] === 0; forms.push(rest)) rest = rest.subarray(1);
  return forms;
};

const readSlots = async (ownerId: EntityId, page: StoragePage, context: RouteContext): Promise<SlotRow[]> => {
  const { db } = context;
  const { hookId, keys, limit, order, timestamps } = page;
  if (keys.lower > keys.upper || keys.equal?.length === 0) return [];
  const bounds = [slotKeyBytes(keys.lower), slotKeyBytes(keys.upper)];
  const named = keys.equal?.map(slotKeyBytes);
  if (timestamps === undefined) {
    const values = [ownerId, hookId, ...bounds, named ?? null, limit];
    return db.query<SlotRow>(currentSqlByOrder[order], values, `hook-storage-${order}`);
  }
  const values = [ownerId, hookId, timestamps.lower, timestamps.upper, limit];
  if (named === undefined) {
    return readInTurns(context, (past) =>
      past.query<SlotRow>(pastSqlByOrder[order], [...values, ...bounds], `hook-storage-past-${order}`),
    );
  }
  const forms = named.flatMap((slot) => formsOf(slot).map((form) => ({ slot, form })));
  const columns = [forms.map(({ slot }) => slot), forms.map(({ form }) => form)];
  return db.query<SlotRow>(pastOfNamedSqlByOrder[order], [...values, ...columns], `hook-storage-past-named-${order}`);
};

const linkAfter = (request: RestRequest, row: SlotRow, { keys, order }: StoragePage): string | null => {
  const last = BigInt(word(row.key));
  const [lower, upper] = order === 'asc' ? [last + 1n, keys.upper] : [keys.lower, last - 1n];
  const canFollow = keys.equal === undefined ? lower <= upper : keys.equal.some((key) => key >= lower && key <= upper);
  if (!canFollow) return null;
  const position = { key: 'key', value: word(row.key), pinned: false };
  return javaNextLink(request, order, [position], ['key', 'limit', 'order', 'timestamp']);
};

export const listHookStorage = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const owner = request.pathParameters.idOrAliasOrEvmAddress ?? '';
  const reference = readJavaAccountReference(owner, context, 'ownerId');
  const page = pageOf(request);
  const ownerId = await resolveJavaReference(context.db, reference);
  const rows = await readSlots(ownerId, page, context);
  const last = rows.at(-1);
  const next = last === undefined || rows.length < page.limit ? null : linkAfter(request, last, page);
  const body =
    `{"hook_id":${page.hookId},"links":${linksJson(next)},"owner_id":"${formatEntityId(ownerId)}",` +
    `"storage":[${rows.map(slotJson).join(',')}]}`;
  return { status: 200, body, link: next };
};
