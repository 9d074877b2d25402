/** GET /api/v1/network/registered-nodes: block nodes, mirror nodes, relays and other services registered on the network. */
import { keyObjectJson, linksJson, textJson } from '../../api/json.ts';
import { badRequest } from '../../api/problem.ts';
import type { RestAnswer, RestRequest, Route, RouteContext } from '../../api/route.ts';
import { nextLink } from './next-link.ts';
import {
  type Comparison,
  invalidParameter,
  parseComparison,
  rangeOf,
  readParameters,
  singleLimit,
  singleOrder,
  singleValue,
  valuesOf,
} from './parameters.ts';
import {
  closedObject,
  int32,
  int64,
  key,
  limitParameter,
  links,
  nullable,
  openRange,
  orderParameter,
  ref,
  text,
  timestamp,
} from './schemas.ts';
import { timestampJson } from './timestamp-json.ts';

const usualLimit = 25;
const largestLimit = 100;
const idKey = 'registerednode.id';
const knownKeys = [idKey, 'limit', 'order', 'type'];

/** Numbers in the column `type`. */
const nodeTypes = { BLOCK_NODE: 1, GENERAL_SERVICE: 2, MIRROR_NODE: 3, RPC_RELAY: 4 } as const;
type NodeType = keyof typeof nodeTypes;

const isNodeType = (name: string): name is NodeType => Object.hasOwn(nodeTypes, name);

interface RegisteredNodeRow {
  readonly admin_key: Buffer | null;
  readonly created_timestamp: string | null;
  readonly description: string | null;
  readonly registered_node_id: string;
  /** JSON text of a list of endpoints. */
  readonly service_endpoints: string | null;
  readonly valid_from: string;
  readonly valid_to: string | null;
}

const nodesSql = (order: 'asc' | 'desc'): string => `
  select admin_key, created_timestamp, description, registered_node_id, service_endpoints,
    lower(timestamp_range) as valid_from, upper(timestamp_range) as valid_to
  from registered_node
  where deleted is false and registered_node_id between $1 and $2 and ($3::smallint is null or type @> array[$3::smallint])
  order by registered_node_id ${order}
  limit $4`;

const nodesSqlByOrder = { asc: nodesSql('asc'), desc: nodesSql('desc') };

interface Endpoint {
  readonly block_node?: { readonly endpoint_apis?: readonly string[] | null } | null;
  readonly domain_name?: string | null;
  readonly general_service?: { readonly description?: string | null } | null;
  readonly ip_address?: string | null;
  readonly mirror_node?: object | null;
  readonly port?: number | null;
  readonly requires_tls?: boolean | null;
  readonly rpc_relay?: object | null;
}

const typeOf = (endpoint: Endpoint): NodeType => {
  if (endpoint.block_node) return 'BLOCK_NODE';
  if (endpoint.mirror_node) return 'MIRROR_NODE';
  return endpoint.rpc_relay ? 'RPC_RELAY' : 'GENERAL_SERVICE';
};

const endpointJson = (endpoint: Endpoint): string =>
  JSON.stringify({
    block_node: endpoint.block_node ? { endpoint_apis: endpoint.block_node.endpoint_apis ?? [] } : null,
    domain_name: endpoint.domain_name || null,
    general_service: endpoint.general_service ? { description: endpoint.general_service.description ?? null } : null,
    ip_address: endpoint.ip_address || null,
    mirror_node: endpoint.mirror_node ? {} : null,
    port: endpoint.port ?? 0,
    requires_tls: endpoint.requires_tls ?? false,
    rpc_relay: endpoint.rpc_relay ? {} : null,
    type: typeOf(endpoint),
  });

const nodeJson = (row: RegisteredNodeRow): string => {
  const endpoints = row.service_endpoints === null ? null : (JSON.parse(row.service_endpoints) as Endpoint[] | null);
  return (
    `{"admin_key":${keyObjectJson(row.admin_key)},"created_timestamp":${timestampJson(row.created_timestamp)},` +
    `"description":${textJson(row.description)},"registered_node_id":${row.registered_node_id},` +
    `"service_endpoints":[${endpoints?.map(endpointJson).join(',') ?? ''}],` +
    `"timestamp":{"from":${timestampJson(row.valid_from)},"to":${timestampJson(row.valid_to)}}}`
  );
};

const limitOf = ({ query }: RestRequest): number => {
  const limit = singleLimit(query) ?? usualLimit;
  if (limit > largestLimit) throw invalidParameter('limit');
  return limit;
};

const idsOf = ({ query }: RestRequest): readonly Comparison[] => {
  const values = valuesOf(query, idKey);
  const comparisons = values.flatMap((value) => parseComparison(value) ?? []);
  if (comparisons.length < values.length || comparisons.length > 2) throw invalidParameter(idKey);
  return comparisons;
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

const typeFilterOf = (request: RestRequest): number | null => {
  const type = singleValue(request.query, 'type')?.toUpperCase();
  if (type === undefined) return null;
  if (!isNodeType(type)) throw invalidParameter('type');
  return nodeTypes[type];
};

const handle = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const read = readParameters(request.query, {
    limit: () => limitOf(request),
    order: () => singleOrder(request.query, () => invalidParameter('order')),
    [idKey]: () => idsOf(request),
    type: () => typeFilterOf(request),
  });
  const { limit, order, type } = read;
  const { lower, upper } = idRangeOf(read[idKey]);
  const rows = await context.db.query<RegisteredNodeRow>(
    nodesSqlByOrder[order],
    [lower.toString(), upper.toString(), type, limit],
    `network_registered_nodes_${order}`,
  );
  const last = rows.at(-1);
  const link =
    last === undefined || rows.length < limit
      ? null
      : nextLink(request, idKey, last.registered_node_id, order, knownKeys);
  const body = `{"registered_nodes":[${rows.map(nodeJson).join(',')}],"links":${linksJson(link)}}`;
  return { status: 200, body, link };
};

export const registeredNodesRoute: Route = {
  method: 'GET',
  path: '/api/v1/network/registered-nodes',
  flavour: 'java',
  cacheSeconds: 60,
  handle,
  operation: {
    operationId: 'getRegisteredNodes',
    summary: 'List the registered nodes',
    description: 'Block nodes, mirror nodes, JSON-RPC relays and other services that are registered on the network.',
    tags: ['network'],
    parameters: [
      { ...limitParameter(usualLimit, largestLimit), schema: { type: 'integer', minimum: 1, maximum: largestLimit } },
      orderParameter,
      {
        name: idKey,
        in: 'query',
        description: 'Id of the registered node with an operator before a colon; at most two.',
        schema: { type: 'array', maxItems: 2, items: { type: 'string', pattern: '^((eq|gte?|lte?):)?\\d{1,19}$' } },
        example: ['gte:3'],
      },
      {
        name: 'type',
        in: 'query',
        description: 'Only nodes that serve this.',
        schema: { type: 'string', enum: Object.keys(nodeTypes) },
      },
    ],
    answer: { description: 'One page of registered nodes.', schema: ref('RegisteredNodesResponse') },
    problems: [400],
    schemas: {
      RegisteredServiceEndpoint: closedObject({
        block_node: nullable(closedObject({ endpoint_apis: { type: 'array', items: text } })),
        domain_name: nullable(text),
        general_service: nullable(closedObject({ description: nullable(text) })),
        ip_address: nullable(text),
        mirror_node: nullable(closedObject({})),
        port: int32,
        requires_tls: { type: 'boolean' },
        rpc_relay: nullable(closedObject({})),
        type: { type: 'string', enum: Object.keys(nodeTypes) },
      }),
      RegisteredNode: closedObject({
        admin_key: nullable(key),
        created_timestamp: nullable(timestamp),
        description: nullable(text),
        registered_node_id: int64,
        service_endpoints: { type: 'array', items: ref('RegisteredServiceEndpoint') },
        timestamp: openRange,
      }),
      RegisteredNodesResponse: closedObject({
        registered_nodes: { type: 'array', items: ref('RegisteredNode') },
        links,
      }),
    },
  },
};
