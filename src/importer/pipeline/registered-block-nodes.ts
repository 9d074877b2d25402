/** The block nodes that the ledger itself has registered ([HIP-1137](https://hips.hedera.com/hip/hip-1137)). */
import type { Queryable } from '../../database/connection.ts';
import { type BlockNodeAddress, type BlockNodeEndpoint, nameOf } from '../../sources/block-node/block-node-address.ts';

/** Number of block nodes in `registered_node.type`. */
const BLOCK_NODE = 1;

interface RegisteredRow {
  readonly service_endpoints: string;
}

interface StoredEndpoint {
  readonly block_node?: { readonly endpoint_apis: readonly string[] };
  readonly domain_name?: string;
  readonly ip_address?: string;
  readonly port: number;
  readonly requires_tls: boolean;
}

/**
 * Nodes with an endpoint for publishers, which only block nodes of the first tier have. Blocks are asked for where status
 * and stream are served together, else at the first endpoint of each. Endpoints that tell neither are passed over.
 */
export const readRegisteredBlockNodes = async (database: Queryable): Promise<readonly BlockNodeAddress[]> => {
  const rows = await database.query<RegisteredRow>(
    'select service_endpoints::text as service_endpoints from registered_node ' +
      'where deleted is not true and type @> array[$1]::int2[] and service_endpoints is not null order by registered_node_id',
    [BLOCK_NODE],
  );
  return rows.flatMap(({ service_endpoints }) => addressOf(JSON.parse(service_endpoints) as StoredEndpoint[]) ?? []);
};

/** Nodes that are configured and those that are registered; of two at the same place the registered one, as the ledger knows it. */
export const withRegistered = (
  configured: readonly BlockNodeAddress[],
  registered: readonly BlockNodeAddress[],
): readonly BlockNodeAddress[] => {
  const places = new Set(registered.map(nameOf));
  return [...configured.filter((node) => !places.has(nameOf(node))), ...registered];
};

const addressOf = (endpoints: readonly StoredEndpoint[]): BlockNodeAddress | undefined => {
  const serving = endpoints.flatMap((endpoint) => {
    const host = endpoint.domain_name || endpoint.ip_address;
    if (endpoint.block_node === undefined || host === undefined || host === '') return [];
    return [
      {
        apis: endpoint.block_node.endpoint_apis,
        at: { host, port: endpoint.port, requiresTls: endpoint.requires_tls },
      },
    ];
  });
  if (!serving.some(({ apis }) => apis.includes('PUBLISH'))) return undefined;
  const first = (...wanted: readonly string[]): BlockNodeEndpoint | undefined =>
    serving.find(({ apis }) => wanted.every((api) => apis.includes(api)))?.at;
  const both = first('STATUS', 'SUBSCRIBE_STREAM');
  const status = both ?? first('STATUS');
  const subscribe = both ?? first('SUBSCRIBE_STREAM');
  return status === undefined || subscribe === undefined ? undefined : { priority: 0, status, subscribe };
};
