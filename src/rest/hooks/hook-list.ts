/** GET /api/v1/accounts/{id}/hooks: the hooks of an account or contract (HIP-1195), those that are deleted too. */
import { alternatives, type Bounds, boundsOf } from '../../api/bounds.ts';
import { readJavaAccountReference, resolveJavaReference } from '../../api/java-account-lookup.ts';
import {
  countFaults,
  javaLimit,
  javaNumberComparisons,
  javaOrder,
  limitFaults,
  refuseFaults,
} from '../../api/java-parameters.ts';
import { javaNextLink } from '../../api/java-ranges.ts';
import { booleanJson, entityIdJson, keyObjectJson, linksJson, plainJson } from '../../api/json.ts';
import type { Order } from '../../api/page.ts';
import { MAX_INT8 } from '../../api/parameter-checks.ts';
import { reasonedProblem } from '../../api/problem.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import { timestampJson } from '../network/timestamp-json.ts';

/** How often a filter may be repeated. */
export const mostRepeats = 100;

interface HookRow {
  readonly admin_key: Buffer | null;
  readonly contract_id: string | null;
  readonly created_timestamp: string | null;
  readonly deleted: boolean;
  readonly extension_point: string;
  readonly hook_id: string;
  readonly owner_id: string;
  readonly type: string;
  readonly valid_from: string | null;
  readonly valid_to: string | null;
}

const hooksSql = (order: Order): string => `
  select admin_key, contract_id, created_timestamp, deleted, extension_point, hook_id, owner_id, type,
    lower(timestamp_range) as valid_from, upper(timestamp_range) as valid_to
  from hook
  where owner_id = $1 and hook_id between $2 and $3 and ($4::bigint[] is null or hook_id = any ($4))
  order by hook_id ${order}
  limit $5`;

const hooksSqlByOrder = { asc: hooksSql('asc'), desc: hooksSql('desc') };

const rangeJson = ({ valid_from, valid_to }: HookRow): string =>
  valid_from === null ? 'null' : `{"from":${timestampJson(valid_from)},"to":${timestampJson(valid_to)}}`;

const hookJson = (row: HookRow): string =>
  `{"admin_key":${keyObjectJson(row.admin_key)},"contract_id":${entityIdJson(row.contract_id)},` +
  `"created_timestamp":${timestampJson(row.created_timestamp)},"deleted":${booleanJson(row.deleted)},` +
  `"extension_point":${plainJson(row.extension_point)},"hook_id":${row.hook_id},` +
  `"owner_id":${entityIdJson(row.owner_id)},"timestamp_range":${rangeJson(row)},"type":${plainJson(row.type)}}`;

interface HookPage {
  readonly bounds: Bounds;
  readonly limit: number;
  readonly order: Order;
}

const pageOf = ({ query }: RestRequest): HookPage => {
  const bounds = boundsOf(javaNumberComparisons(query, 'hook.id'));
  const limit = javaLimit(query);
  const order = javaOrder(query, 'desc');
  refuseFaults([...countFaults(query, 'hook.id', mostRepeats), ...limitFaults(limit)]);
  if (bounds.unequal.length > 0) throw reasonedProblem(400, 'Unsupported range operator ne for hook.id');
  return { bounds, limit, order };
};

/** Repeated equalities mean any of them. */
const readHooks = (ownerId: bigint, { bounds, limit, order }: HookPage, db: RouteContext['db']): Promise<HookRow[]> => {
  const lower = bounds.lower ?? 0n;
  const upper = bounds.upper ?? MAX_INT8;
  if (lower > MAX_INT8 || upper < lower) return Promise.resolve([]);
  return db.query<HookRow>(
    hooksSqlByOrder[order],
    [ownerId, lower, upper, alternatives(bounds) ?? null, limit],
    `hooks-${order}`,
  );
};

const linkAfter = (request: RestRequest, { hook_id }: HookRow, { bounds, order }: HookPage): string | null => {
  const last = BigInt(hook_id);
  const rest = order === 'asc' ? { lower: last + 1n, upper: bounds.upper } : { lower: bounds.lower, upper: last - 1n };
  const { lower, upper } = { lower: rest.lower ?? 0n, upper: rest.upper ?? MAX_INT8 };
  const named = alternatives(bounds);
  const canFollow = named === undefined ? lower <= upper : named.some((id) => id >= lower && id <= upper);
  if (!canFollow) return null;
  return javaNextLink(
    request,
    order,
    [{ key: 'hook.id', value: hook_id, pinned: false }],
    ['hook.id', 'limit', 'order'],
  );
};

export const listHooks = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const owner = request.pathParameters.idOrAliasOrEvmAddress ?? '';
  const reference = readJavaAccountReference(owner, context, 'ownerId');
  const page = pageOf(request);
  const ownerId = await resolveJavaReference(context.db, reference);
  const rows = await readHooks(ownerId, page, context.db);
  const last = rows.at(-1);
  const next = last === undefined || rows.length < page.limit ? null : linkAfter(request, last, page);
  return { status: 200, body: `{"hooks":[${rows.map(hookJson).join(',')}],"links":${linksJson(next)}}`, link: next };
};
