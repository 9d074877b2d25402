/** GET /api/v1/network/registered-nodes: block nodes, mirror nodes, relays and other services registered on the network. */

import type { Comparison } from '../../api/bounds.ts';
import { valuesOf } from '../../api/java-parameters.ts';
import type { Order } from '../../api/page.ts';
import { badRequest } from '../../api/problem.ts';
import { pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import { javaEndpoint } from '../../api/resource/java-endpoint.ts';
import type { JavaParameter } from '../../api/resource/java-parameter.ts';
import type { PageStatement } from '../../api/resource/resource.ts';
import { nextLink } from './next-link.ts';
import { invalidParameter, limit, order, parseComparison, rangeOf, readTogether, singleValue } from './parameters.ts';
import { nodeTypes, registeredNode, registeredServiceEndpoint } from './registered-node.ts';

const nodesSql = (order: Order): PageStatement =>
  registeredNode.statement(
    `select * from registered_node
    where deleted is false and registered_node_id between $1 and $2
      and ($3::smallint is null or type @> array[$3::smallint])
    order by registered_node_id ${order}
    limit $4`,
    `p.registered_node_id ${order}`,
  );

const nodesSqlByOrder = { asc: nodesSql('asc'), desc: nodesSql('desc') };

const nodeIds: JavaParameter<readonly Comparison[]> = {
  read: (query, name) => {
    const values = valuesOf(query, name);
    const comparisons = values.flatMap((value) => parseComparison(value) ?? []);
    if (comparisons.length < values.length || comparisons.length > 2) throw invalidParameter(name);
    return comparisons;
  },
  doc: {
    description: 'Id of the registered node with an operator before a colon; at most two.',
    schema: { type: 'array', maxItems: 2, items: { type: 'string', pattern: '^((eq|gte?|lte?):)?\\d{1,19}$' } },
    example: ['gte:3'],
  },
};

/** The ids asked for, as an inclusive range. At most two bounds, or one equality. */
const idRangeOf = (comparisons: readonly Comparison[]): { readonly lower: bigint; readonly upper: bigint } => {
  const equality = comparisons.find(({ operator }) => operator === 'eq');
  if (equality !== undefined) {
    if (comparisons.length > 1) throw badRequest("The 'eq' operator cannot be combined with other operators");
    return { lower: equality.value, upper: equality.value };
  }
  const range = rangeOf(comparisons);
  if (range.lower > range.upper) throw badRequest('Invalid range: lower bound exceeds upper bound');
  return range;
};

const typeNumbers: ReadonlyMap<string, number> = new Map(Object.entries(nodeTypes));

/** The number of a type; null: any. */
const nodeType: JavaParameter<number | null> = {
  read: (query, name) => {
    const type = singleValue(query, name)?.toUpperCase();
    if (type === undefined) return null;
    const number = typeNumbers.get(type);
    if (number === undefined) throw invalidParameter(name);
    return number;
  },
  doc: { description: 'Only nodes that serve this.', schema: { type: 'string', enum: [...typeNumbers.keys()] } },
};

const parameters = {
  limit: limit({ usual: 25, most: 100, beyond: 'refused' }),
  order,
  'registerednode.id': nodeIds,
  type: nodeType,
};

export const registeredNodesRoute = javaEndpoint({
  path: '/api/v1/network/registered-nodes',
  cacheSeconds: 60,
  operationId: 'getRegisteredNodes',
  summary: 'List the registered nodes',
  description: 'Block nodes, mirror nodes, JSON-RPC relays and other services that are registered on the network.',
  tag: 'network',
  parameters,
  answer: pageOf(
    'registered_nodes',
    { ...registeredNode, schemas: { ...registeredNode.schemas, ...registeredServiceEndpoint.schemas } },
    'One page of registered nodes.',
  ),
  problems: [400],

  handle: async ({ request, query }, { db }) => {
    const { 'registerednode.id': ids, limit, order, type } = readTogether(request.query, query, parameters);
    const { lower, upper } = idRangeOf(ids);
    const rows = await registeredNode.read(db, nodesSqlByOrder[order], [lower, upper, type, limit]);
    const last = rows.at(-1);
    const link =
      last === undefined || rows.length < limit
        ? null
        : nextLink(request, 'registerednode.id', last.nodeId, order, Object.keys(parameters));
    return pageAnswer('registered_nodes', rows, registeredNode.put, link);
  },
});
