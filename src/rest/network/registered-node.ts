/** A block node, mirror node, relay or other service that is registered on the network, as REST shows it. */
import { int64, key, listSchema, nullable, text } from '../../api/resource/field.ts';
import { jsonList } from '../../api/resource/json-column.ts';
import { resource } from '../../api/resource/resource.ts';
import { closedObject, int32, nullable as nullableSchema, text as textSchema } from './schemas.ts';
import { javaTimestamp, javaTimestampRange } from './timestamp-json.ts';

/** Numbers in the column `type`. */
export const nodeTypes = { BLOCK_NODE: 1, GENERAL_SERVICE: 2, MIRROR_NODE: 3, RPC_RELAY: 4 } as const;
type NodeType = keyof typeof nodeTypes;

interface Endpoint {
  readonly block_node?: { readonly endpoint_apis?: readonly string[] | null } | null;
  readonly domain_name?: string | null;
  readonly general_service?: { readonly description?: string | null } | null;
  readonly ip_address?: string | null;
  readonly mirror_node?: object | null;
  /** Digits. */
  readonly port?: string | null;
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
    port: Number(endpoint.port ?? 0),
    requires_tls: endpoint.requires_tls ?? false,
    rpc_relay: endpoint.rpc_relay ? {} : null,
    type: typeOf(endpoint),
  });

const endpointSchema = closedObject({
  block_node: nullableSchema(closedObject({ endpoint_apis: { type: 'array', items: textSchema } })),
  domain_name: nullableSchema(textSchema),
  general_service: nullableSchema(closedObject({ description: nullableSchema(textSchema) })),
  ip_address: nullableSchema(textSchema),
  mirror_node: nullableSchema(closedObject({})),
  port: int32,
  requires_tls: { type: 'boolean' },
  rpc_relay: nullableSchema(closedObject({})),
  type: { type: 'string', enum: Object.keys(nodeTypes) },
});

/** Over a row of `registered_node`. */
export const registeredNode = resource({
  name: 'RegisteredNode',
  keys: { nodeId: 'p.registered_node_id' },
  fields: {
    admin_key: key('p.admin_key', 'Key that may change and delete the node.'),
    created_timestamp: nullable(javaTimestamp('p.created_timestamp')),
    description: nullable(text('p.description')),
    registered_node_id: int64('p.registered_node_id', 'Number of the node.'),
    service_endpoints: jsonList('p.service_endpoints', listSchema(endpointSchema), (entry) =>
      endpointJson(entry as Endpoint),
    ),
    timestamp: javaTimestampRange('lower(p.timestamp_range)', 'upper(p.timestamp_range)'),
  },
});
