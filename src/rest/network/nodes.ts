/** GET /api/v1/network/nodes: the consensus nodes of the newest address book, with their stakes. */
import { keyObjectJson, linksJson, textJson } from '../../api/json.ts';
import { reasonedProblem } from '../../api/problem.ts';
import type { RestAnswer, RestRequest, Route, RouteContext } from '../../api/route.ts';
import { encodeEntityId, formatEntityId, parseEntityId } from '../../ledger/entity-id.ts';
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
  closedRange,
  entityId,
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
} from './schemas.ts';
import { stakingPeriodJson } from './staking-period.ts';
import { timestampJson } from './timestamp-json.ts';

const usualLimit = 10;
const largestLimit = 25;
const addressBookFileNumber = 102n;
const knownKeys = ['file.id', 'node.id', 'limit', 'order'];

interface NodeRow {
  readonly admin_key: Buffer | null;
  readonly associated_registered_nodes: readonly string[] | null;
  readonly decline_reward: boolean | null;
  readonly description: string | null;
  readonly end_consensus_timestamp: string | null;
  readonly file_id: string;
  /** JSON text. */
  readonly grpc_proxy_endpoint: string | null;
  readonly max_stake: string | null;
  readonly memo: string | null;
  readonly min_stake: string | null;
  readonly node_account_id: string;
  readonly node_cert_hash: Buffer | null;
  readonly node_id: string;
  readonly public_key: string | null;
  readonly reward_rate: string | null;
  /** JSON text of a list of endpoints. */
  readonly service_endpoints: string;
  readonly stake: string | null;
  readonly stake_not_rewarded: string | null;
  readonly stake_rewarded: string | null;
  readonly staking_period: string | null;
  readonly start_consensus_timestamp: string;
}

const nodesSql = (order: 'asc' | 'desc'): string => `
  with book as (
    select start_consensus_timestamp, end_consensus_timestamp, file_id from address_book
    where file_id = $1 order by start_consensus_timestamp desc limit 1
  )
  select n.admin_key, n.associated_registered_nodes, n.decline_reward, e.description, book.end_consensus_timestamp,
    book.file_id, n.grpc_proxy_endpoint, s.max_stake, e.memo, s.min_stake,
    coalesce(n.account_id, e.node_account_id) as node_account_id, e.node_cert_hash, e.node_id, e.public_key,
    s.reward_rate, s.stake, s.stake_not_rewarded, s.stake_rewarded, s.staking_period, book.start_consensus_timestamp,
    (
      select coalesce(json_agg(json_build_object(
          'domain_name', coalesce(p.domain_name, ''), 'ip_address_v4', coalesce(p.ip_address_v4, ''), 'port', p.port
        ) order by p.ip_address_v4, p.port), '[]'::json)
      from address_book_service_endpoint p
      where p.consensus_timestamp = book.start_consensus_timestamp and p.node_id = e.node_id
    ) as service_endpoints
  from book
  join address_book_entry e on e.consensus_timestamp = book.start_consensus_timestamp
  left join node n on n.node_id = e.node_id
  left join node_stake s
    on s.node_id = e.node_id and s.consensus_timestamp = (select max(consensus_timestamp) from node_stake)
  where e.node_id between $2 and $3 and ($4::bigint[] is null or e.node_id = any($4))
  order by e.node_id ${order}
  limit $5`;

const nodesSqlByOrder = { asc: nodesSql('asc'), desc: nodesSql('desc') };

/** Hex text with `0x` in front, whatever it had before; none gives `0x`. */
const prefixed = (hex: string | null): string => (hex?.startsWith('0x') ? hex : `0x${hex ?? ''}`);

/** The stake columns hold -1 where the network stated none. */
const stakeJson = (digits: string | null): string => (digits === null || digits === '-1' ? 'null' : digits);

interface Endpoint {
  readonly domain_name?: string | null;
  readonly ip_address_v4?: string | null;
  readonly port?: number | null;
}

const endpointJson = ({ domain_name, ip_address_v4, port }: Endpoint): string =>
  `{"domain_name":${JSON.stringify(domain_name ?? '')},"ip_address_v4":${JSON.stringify(ip_address_v4 ?? '')},` +
  `"port":${port ?? 0}}`;

const nodeJson = (row: NodeRow): string => {
  const proxy = row.grpc_proxy_endpoint === null ? null : (JSON.parse(row.grpc_proxy_endpoint) as Endpoint | null);
  const endpoints = (JSON.parse(row.service_endpoints) as readonly Endpoint[]).map(endpointJson).join(',');
  return (
    `{"admin_key":${keyObjectJson(row.admin_key)},` +
    `"associated_registered_nodes":[${row.associated_registered_nodes?.join(',') ?? ''}],` +
    `"decline_reward":${row.decline_reward},"description":${textJson(row.description)},` +
    `"file_id":"${formatEntityId(row.file_id)}","grpc_proxy_endpoint":${proxy === null ? 'null' : endpointJson(proxy)},` +
    `"max_stake":${stakeJson(row.max_stake)},"memo":${textJson(row.memo)},` +
    `"min_stake":${stakeJson(row.min_stake)},"node_account_id":"${formatEntityId(row.node_account_id)}",` +
    `"node_cert_hash":${JSON.stringify(prefixed(row.node_cert_hash?.toString('utf8') ?? null))},` +
    `"node_id":${row.node_id},"public_key":${JSON.stringify(prefixed(row.public_key))},` +
    `"reward_rate_start":${row.reward_rate},"service_endpoints":[${endpoints}],"stake":${row.stake},` +
    `"stake_not_rewarded":${stakeJson(row.stake_not_rewarded)},"stake_rewarded":${row.stake_rewarded},` +
    `"staking_period":${row.staking_period === null ? 'null' : stakingPeriodJson(row.staking_period)},` +
    `"timestamp":{"from":${timestampJson(row.start_consensus_timestamp)},` +
    `"to":${timestampJson(row.end_consensus_timestamp)}}}`
  );
};

const fileIdOf = (request: RestRequest, context: RouteContext): bigint => {
  const given = singleValue(request.query, 'file.id');
  if (given === undefined) return encodeEntityId(context.shard, context.realm, addressBookFileNumber);
  const match = /^(?:(eq|gte?|lte?|ne):)?(.*)$/i.exec(given);
  const id = parseEntityId(match?.[2] ?? '', context);
  if (id === undefined) throw invalidParameter('file.id');
  if ((match?.[1] ?? 'eq').toLowerCase() !== 'eq') {
    throw reasonedProblem(400, 'Only equality operator is supported for file.id');
  }
  return id;
};

const nodeIdsOf = (request: RestRequest): readonly Comparison[] =>
  valuesOf(request.query, 'node.id')
    .filter((value) => value !== '')
    .map((value) => {
      const comparison = parseComparison(value);
      if (comparison === undefined) throw invalidParameter('node.id');
      return comparison;
    });

const handle = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const read = readParameters(request.query, {
    'file.id': () => fileIdOf(request, context),
    'node.id': () => nodeIdsOf(request),
    limit: () => Math.min(singleLimit(request.query) ?? usualLimit, largestLimit),
    order: () => singleOrder(request.query, () => invalidParameter('order')),
  });
  const { 'file.id': fileId, 'node.id': nodeIds, limit, order } = read;
  const { lower, upper } = rangeOf(nodeIds);
  if (lower > upper) throw reasonedProblem(400, 'Invalid range provided for node.id');
  const equals = nodeIds.filter(({ operator }) => operator === 'eq').map(({ value }) => value.toString());
  const rows = await context.db.query<NodeRow>(
    nodesSqlByOrder[order],
    [fileId.toString(), lower.toString(), upper.toString(), equals.length > 0 ? equals : null, limit],
    `network_nodes_${order}`,
  );
  const last = rows.at(-1);
  const link =
    last === undefined || rows.length < limit ? null : nextLink(request, 'node.id', last.node_id, order, knownKeys);
  const body = `{"nodes":[${rows.map(nodeJson).join(',')}],"links":${linksJson(link)}}`;
  return { status: 200, body, link };
};

const serviceEndpoint = closedObject({ domain_name: text, ip_address_v4: text, port: int32 });

export const nodesRoute: Route = {
  method: 'GET',
  path: '/api/v1/network/nodes',
  flavour: 'java',
  cacheSeconds: 60,
  handle,
  operation: {
    operationId: 'getNetworkNodes',
    summary: 'List the consensus nodes',
    description: 'The nodes of the newest address book, with their endpoints, keys and stakes.',
    tags: ['network'],
    parameters: [
      {
        name: 'file.id',
        in: 'query',
        description: 'The address book file; only equality.',
        schema: { type: 'string', default: '0.0.102' },
      },
      limitParameter(usualLimit, largestLimit),
      {
        name: 'node.id',
        in: 'query',
        description: 'Node id with an operator before a colon; repeatable.',
        schema: { type: 'array', items: { type: 'string', pattern: '^((eq|gte?|lte?):)?\\d{1,19}$' } },
        example: ['gte:3'],
      },
      orderParameter,
    ],
    answer: { description: 'One page of nodes.', schema: ref('NetworkNodesResponse') },
    problems: [400],
    schemas: {
      NetworkNode: closedObject({
        admin_key: nullable(key),
        associated_registered_nodes: { type: 'array', items: int64 },
        decline_reward: { type: ['boolean', 'null'] },
        description: nullable(text),
        file_id: entityId,
        grpc_proxy_endpoint: nullable(serviceEndpoint),
        max_stake: nullable(int64),
        memo: nullable(text),
        min_stake: nullable(int64),
        node_account_id: entityId,
        node_cert_hash: text,
        node_id: int64,
        public_key: text,
        reward_rate_start: nullable(int64),
        service_endpoints: { type: 'array', items: serviceEndpoint },
        stake: nullable(int64),
        stake_not_rewarded: nullable(int64),
        stake_rewarded: nullable(int64),
        staking_period: nullable(closedRange),
        timestamp: openRange,
      }),
      NetworkNodesResponse: closedObject({ nodes: { type: 'array', items: ref('NetworkNode') }, links }),
    },
  },
};
