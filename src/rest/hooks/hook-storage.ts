/**
 * GET /api/v1/accounts/{id}/hooks/{hookId}/storage: the slots of a hook. Without a timestamp those that are set now;
 * with one, the newest change of each slot within the range, cleared slots included (past-slots.ts).
 */

import { readJavaAccountReference, resolveJavaReference } from '../../api/java-account-lookup.ts';
import { countFaults, failedToConvert, limitFaults, refuseFaults } from '../../api/java-parameters.ts';
import { javaNextLink } from '../../api/java-ranges.ts';
import { linksJson } from '../../api/json.ts';
import type { Order } from '../../api/page.ts';
import { MAX_INT8 } from '../../api/parameter-checks.ts';
import { oneAnswer } from '../../api/resource/endpoint.ts';
import { listSchema } from '../../api/resource/field.ts';
import { javaEndpoint } from '../../api/resource/java-endpoint.ts';
import { limit, order } from '../../api/resource/java-parameter.ts';
import type { JsonBytes } from '../../api/resource/json-bytes.ts';
import type { PageStatement, ResourceRow } from '../../api/resource/resource.ts';
import type { RestRequest, RouteContext } from '../../api/route.ts';
import { linksSchema, objectSchema } from '../../api/schemas.ts';
import { inSnapshot } from '../../api/snapshot.ts';
import { type EntityId, formatEntityId } from '../../ledger/entity-id.ts';
import { accountPath } from '../accounts/account-parameters.ts';
import { type TimestampBounds, timestamps } from '../network/timestamp-bounds.ts';
import { hookId, mostRepeats, ownerId } from './hook.ts';
import { hookSlot } from './hook-slot.ts';
import { findPastSlots, readPastSlots } from './past-slots.ts';
import { type SlotKeys, slotKeyBytes, slotKeyDigits, slotKeys } from './slot-keys.ts';

interface StoragePage {
  readonly hookId: bigint;
  readonly keys: SlotKeys;
  readonly timestamps: TimestampBounds;
  readonly limit: number;
  readonly order: Order;
}

const hookIdOf = (text: string): bigint => {
  const id = /^[+-]?\d{1,19}$/.test(text) ? BigInt(text.replace('+', '')) : undefined;
  if (id === undefined || id > MAX_INT8 || id < -MAX_INT8 - 1n) throw failedToConvert('hookId');
  return id;
};

const currentSql = (order: Order): PageStatement =>
  hookSlot.statement(
    `select key, modified_timestamp as timestamp, value from hook_storage
    where owner_id = $1 and hook_id = $2 and key between $3 and $4 and ($5::bytea[] is null or key = any ($5))
      and deleted is false
    order by key ${order}
    limit $6`,
    `p.key ${order}`,
  );

const currentSqlByOrder = { asc: currentSql('asc'), desc: currentSql('desc') };

interface ReadSlots {
  readonly rows: readonly ResourceRow<'key'>[];
  /** The last slot that a search came to before its time was over; null: it ended. */
  readonly examinedTo: bigint | null;
}

const readSlots = async (ownerId: EntityId, page: StoragePage, context: RouteContext): Promise<ReadSlots> => {
  const { db } = context;
  const { hookId, keys, limit, order, timestamps } = page;
  if (keys.lower > keys.upper || keys.equal?.length === 0) return { rows: [], examinedTo: null };
  if (!timestamps.lowerGiven && !timestamps.upperGiven) {
    const bounds = [slotKeyBytes(keys.lower), slotKeyBytes(keys.upper)];
    const values = [ownerId, hookId, ...bounds, keys.equal?.map(slotKeyBytes) ?? null, limit];
    return { rows: await hookSlot.read(db, currentSqlByOrder[order], values), examinedTo: null };
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
  const position = { key: 'key', value: `0x${slotKeyDigits(last)}`, pinned: false };
  return javaNextLink(request, order, [position], ['key', 'limit', 'order', 'timestamp']);
};

const nextOf = (request: RestRequest, { rows, examinedTo }: ReadSlots, page: StoragePage): string | null => {
  const last = rows.at(-1);
  if (last !== undefined && rows.length >= page.limit) {
    return linkAfter(request, BigInt(`0x0${last.key.slice('\\x'.length)}`), page);
  }
  return examinedTo === null ? null : linkAfter(request, examinedTo, page);
};

export const hookStorage = javaEndpoint({
  path: '/api/v1/accounts/{idOrAliasOrEvmAddress}/hooks/{hookId}/storage',
  operationId: 'getHookStorage',
  summary: 'List the storage of a hook',
  description:
    'The slots that are set. With a timestamp, the newest change of each slot up to it or within a range instead; ' +
    'a cleared slot has no value then.',
  tag: 'accounts',
  pathParameters: {
    ...accountPath,
    hookId: { description: 'Hook id.', schema: { type: 'integer', format: 'int64', minimum: 0 }, example: 1 },
  },
  parameters: { key: slotKeys, limit, order: order('asc'), timestamp: timestamps },
  answer: {
    description: 'One page of slots.',
    schema: objectSchema({
      hook_id: hookId.schema,
      links: linksSchema,
      owner_id: ownerId.schema,
      storage: listSchema(hookSlot.schema),
    }),
    schemas: hookSlot.schemas,
  },
  problems: [400, 404],

  handle: ({ request, path, query }, current) =>
    inSnapshot(current, async (context) => {
      const reference = readJavaAccountReference(path.idOrAliasOrEvmAddress, context, 'ownerId');
      const page: StoragePage = {
        hookId: hookIdOf(path.hookId),
        keys: query.key,
        timestamps: query.timestamp,
        limit: query.limit,
        order: query.order,
      };
      refuseFaults([
        ...(page.hookId < 0n ? ['hookId must be greater than or equal to 0'] : []),
        ...countFaults(request.query, 'key', mostRepeats),
        ...limitFaults(page.limit),
      ]);
      const ownerId = await resolveJavaReference(context.db, reference);
      const read = await readSlots(ownerId, page, context);
      const link = nextOf(request, read, page);
      const put = (out: JsonBytes): void => {
        out.text(
          `{"hook_id":${page.hookId},"links":${linksJson(link)},"owner_id":"${formatEntityId(ownerId)}","storage":[`,
        );
        out.list(read.rows, hookSlot.put);
        out.text(']}');
      };
      return { ...oneAnswer(undefined, put), link };
    }),
});
