/** A block node, mirror node, relay or other service that is registered on the network, as REST shows it. */
import { textJson } from '../../api/json.ts';
import { int64, key, listSchema, nullable, text } from '../../api/resource/field.ts';
import { jsonList } from '../../api/resource/json-column.ts';
import { record } from '../../api/resource/record.ts';
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

export const registeredServiceEndpoint = record<Endpoint>('RegisteredServiceEndpoint', {
  block_node: {
    schema: nullableSchema(closedObject({ endpoint_apis: listSchema(textSchema) })),
    json: ({ block_node }) =>
      block_node ? `{"endpoint_apis":${JSON.stringify(block_node.endpoint_apis ?? [])}}` : 'null',
  },
  domain_name: { schema: nullableSchema(textSchema), json: ({ domain_name }) => textJson(domain_name || null) },
  general_service: {
    schema: nullableSchema(closedObject({ description: nullableSchema(textSchema) })),
    json: ({ general_service }) =>
      general_service ? `{"description":${textJson(general_service.description ?? null)}}` : 'null',
  },
  ip_address: { schema: nullableSchema(textSchema), json: ({ ip_address }) => textJson(ip_address || null) },
  mirror_node: { schema: nullableSchema(closedObject({})), json: ({ mirror_node }) => (mirror_node ? '{}' : 'null') },
  port: { schema: int32, json: ({ port }) => port ?? '0' },
  requires_tls: { schema: { type: 'boolean' }, json: ({ requires_tls }) => `${requires_tls ?? false}` },
  rpc_relay: { schema: nullableSchema(closedObject({})), json: ({ rpc_relay }) => (rpc_relay ? '{}' : 'null') },
  type: { schema: { type: 'string', enum: Object.keys(nodeTypes) }, json: (endpoint) => `"${typeOf(endpoint)}"` },
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
    service_endpoints: jsonList('p.service_endpoints', listSchema(registeredServiceEndpoint.schema), (entry) =>
      registeredServiceEndpoint.json(entry as Endpoint),
    ),
    timestamp: javaTimestampRange('lower(p.timestamp_range)', 'upper(p.timestamp_range)'),
  },
});
