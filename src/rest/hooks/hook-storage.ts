/**
 * GET /api/v1/accounts/{id}/hooks/{hookId}/storage: the slots of a hook. Without a timestamp those that are set now;
 * with one, the newest change of each slot within the range, cleared slots included (past-slots.ts).
 */
import { readJavaAccountReference, resolveJavaReference } from '../../api/java-account-lookup.ts';
import { failedToConvert, javaLimit, javaOrder, limitFaults, refuseFaults } from '../../api/java-parameters.ts';
import { javaNextLink } from '../../api/java-ranges.ts';
import { linksJson } from '../../api/json.ts';
import type { Order } from '../../api/page.ts';
import { MAX_INT8 } from '../../api/parameter-checks.ts';
import type { RestRequest, RouteContext } from '../../api/route.ts';
import { fromOneSnapshot } from '../../api/snapshot.ts';
import { toHex } from '../../ledger/bytes.ts';
import { type EntityId, formatEntityId } from '../../ledger/entity-id.ts';
import { type TimestampBounds, timestampBounds } from '../network/timestamp-bounds.ts';
import { timestampJson } from '../network/timestamp-json.ts';
import { findPastSlots, type PastSlot, readPastSlots } from './past-slots.ts';
import { type SlotKeys, slotKeyBytes, slotKeyFaults, slotKeys } from './slot-keys.ts';

const word = (bytes: Buffer): string => `0x${toHex(bytes).padStart(64, '0')}`;

const slotJson = ({ key, timestamp, value }: PastSlot): string =>
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

interface ReadSlots {
  readonly rows: readonly PastSlot[];
  /** The last slot that a search came to before its time was over; null: it ended. */
  readonly examinedTo: bigint | null;
}

const readSlots = async (ownerId: EntityId, page: StoragePage, context: RouteContext): Promise<ReadSlots> => {
  const { db } = context;
  const { hookId, keys, limit, order, timestamps } = page;
  if (keys.lower > keys.upper || keys.equal?.length === 0) return { rows: [], examinedTo: null };
  if (timestamps === undefined) {
    const bounds = [slotKeyBytes(keys.lower), slotKeyBytes(keys.upper)];
    const values = [ownerId, hookId, ...bounds, keys.equal?.map(slotKeyBytes) ?? null, limit];
    const rows = await db.query<PastSlot>(currentSqlByOrder[order], values, `hook-storage-${order}`);
    return { rows, examinedTo: null };
  }
  if (timestamps.lower > timestamps.upper) return { rows: [], examinedTo: null };
  const past = { ownerId, hookId, times: timestamps };
  if (keys.equal !== undefined) return { rows: await readPastSlots(past, keys.equal, page, db), examinedTo: null };
  const { slots, examinedTo } = await findPastSlots(past, keys, page, context);
  return { rows: slots.length === 0 ? [] : await readPastSlots(past, slots, page, db), examinedTo };
};

const linkAfter = (request: RestRequest, last: bigint, { keys, order }: StoragePage): string | null => {
  const [lower, upper] = order === 'asc' ? [last + 1n, keys.upper] : [keys.lower, last - 1n];
  const canFollow = keys.equal === undefined ? lower <= upper : keys.equal.some((key) => key >= lower && key <= upper);
  if (!canFollow) return null;
  const position = { key: 'key', value: word(slotKeyBytes(last)), pinned: false };
  return javaNextLink(request, order, [position], ['key', 'limit', 'order', 'timestamp']);
};

const nextOf = (request: RestRequest, { rows, examinedTo }: ReadSlots, page: StoragePage): string | null => {
  const last = rows.at(-1);
  if (last !== undefined && rows.length >= page.limit) return linkAfter(request, BigInt(word(last.key)), page);
  return examinedTo === null ? null : linkAfter(request, examinedTo, page);
};

export const listHookStorage = fromOneSnapshot(async (request: RestRequest, context: RouteContext) => {
  const owner = request.pathParameters.idOrAliasOrEvmAddress ?? '';
  const reference = readJavaAccountReference(owner, context, 'ownerId');
  const page = pageOf(request);
  const ownerId = await resolveJavaReference(context.db, reference);
  const read = await readSlots(ownerId, page, context);
  const next = nextOf(request, read, page);
  const body =
    `{"hook_id":${page.hookId},"links":${linksJson(next)},"owner_id":"${formatEntityId(ownerId)}",` +
    `"storage":[${read.rows.map(slotJson).join(',')}]}`;
  return { status: 200, body, link: next };
});
