/** GET /api/v1/accounts/{id}/hooks: the hooks of an account or contract, those that are deleted too. */
import { alternatives, type Bounds, boundsOf } from '../../api/bounds.ts';
import { readJavaAccountReference, resolveJavaReference } from '../../api/java-account-lookup.ts';
import { countFaults, javaNumberComparisons, limitFaults, refuseFaults } from '../../api/java-parameters.ts';
import { javaNextLink } from '../../api/java-ranges.ts';
import type { Order } from '../../api/page.ts';
import { MAX_INT8 } from '../../api/parameter-checks.ts';
import { reasonedProblem } from '../../api/problem.ts';
import { pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import { javaEndpoint } from '../../api/resource/java-endpoint.ts';
import { type JavaParameter, limit, order } from '../../api/resource/java-parameter.ts';
import type { PageStatement, ResourceRow } from '../../api/resource/resource.ts';
import type { RestRequest, RouteContext } from '../../api/route.ts';
import { accountPath } from '../accounts/account-parameters.ts';
import { hook, mostRepeats } from './hook.ts';

const hooksSql = (order: Order): PageStatement =>
  hook.statement(
    `select * from hook
    where owner_id = $1 and hook_id between $2 and $3 and ($4::bigint[] is null or hook_id = any ($4))
    order by hook_id ${order}
    limit $5`,
    `p.hook_id ${order}`,
  );

const hooksSqlByOrder = { asc: hooksSql('asc'), desc: hooksSql('desc') };

type HookRow = ResourceRow<'hookId'>;

interface HookPage {
  readonly bounds: Bounds;
  readonly limit: number;
  readonly order: Order;
}

/** Repeated equalities mean any of them. */
const readHooks = (ownerId: bigint, { bounds, limit, order }: HookPage, db: RouteContext['db']): Promise<HookRow[]> => {
  const lower = bounds.lower ?? 0n;
  const upper = bounds.upper ?? MAX_INT8;
  if (lower > MAX_INT8 || upper < lower) return Promise.resolve([]);
  return hook.read(db, hooksSqlByOrder[order], [ownerId, lower, upper, alternatives(bounds) ?? null, limit]);
};

const linkAfter = (request: RestRequest, { hookId }: HookRow, { bounds, order }: HookPage): string | null => {
  const last = BigInt(hookId);
  const rest = order === 'asc' ? { lower: last + 1n, upper: bounds.upper } : { lower: bounds.lower, upper: last - 1n };
  const { lower, upper } = { lower: rest.lower ?? 0n, upper: rest.upper ?? MAX_INT8 };
  const named = alternatives(bounds);
  const canFollow = named === undefined ? lower <= upper : named.some((id) => id >= lower && id <= upper);
  if (!canFollow) return null;
  return javaNextLink(
    request,
    order,
    [{ key: 'hook.id', value: hookId, pinned: false }],
    ['hook.id', 'limit', 'order'],
  );
};

const hookIds: JavaParameter<Bounds> = {
  read: (query, name) => boundsOf(javaNumberComparisons(query, name)),
  doc: {
    description: 'Hook id, compared by an optional operator. Several without operator mean any of them.',
    schema: {
      type: 'array',
      maxItems: mostRepeats,
      items: { type: 'string', pattern: '^((eq|gte?|lte?):)?\\d{1,19}$' },
    },
    example: ['gt:2'],
  },
};

export const hookList = javaEndpoint({
  path: '/api/v1/accounts/{idOrAliasOrEvmAddress}/hooks',
  operationId: 'getHooks',
  summary: 'List the hooks of an account',
  description: 'Largest hook id first unless ordered otherwise. Deleted hooks are among them.',
  tag: 'accounts',
  pathParameters: accountPath,
  parameters: { 'hook.id': hookIds, limit, order: order('desc') },
  answer: pageOf('hooks', hook, 'One page of hooks.'),
  problems: [400, 404],

  handle: async ({ request, path, query }, context) => {
    const reference = readJavaAccountReference(path.idOrAliasOrEvmAddress, context, 'ownerId');
    const page: HookPage = { bounds: query['hook.id'], limit: query.limit, order: query.order };
    refuseFaults([...countFaults(request.query, 'hook.id', mostRepeats), ...limitFaults(page.limit)]);
    if (page.bounds.unequal.length > 0) throw reasonedProblem(400, 'Unsupported range operator ne for hook.id');
    const ownerId = await resolveJavaReference(context.db, reference);
    const rows = await readHooks(ownerId, page, context.db);
    const last = rows.at(-1);
    const link = last === undefined || rows.length < page.limit ? null : linkAfter(request, last, page);
    return pageAnswer('hooks', rows, hook.put, link);
  },
});
