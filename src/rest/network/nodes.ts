/** GET /api/v1/network/nodes: the consensus nodes of the newest address book, with their stakes. */

import type { Comparison } from '../../api/bounds.ts';
import { valuesOf } from '../../api/java-parameters.ts';
import type { Order } from '../../api/page.ts';
import { reasonedProblem } from '../../api/problem.ts';
import { pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import { javaEndpoint } from '../../api/resource/java-endpoint.ts';
import type { JavaParameter } from '../../api/resource/java-parameter.ts';
import type { PageStatement } from '../../api/resource/resource.ts';
import { encodeEntityId, parseEntityId } from '../../ledger/entity-id.ts';
import { networkNode, serviceEndpoint } from './network-node.ts';
import { nextLink } from './next-link.ts';
import { invalidParameter, limit, order, parseComparison, rangeOf, readTogether, singleValue } from './parameters.ts';

const addressBookFileNumber = 102n;

const nodesSql = (order: Order): PageStatement =>
  networkNode.statement(
    `with book as (
      select start_consensus_timestamp, end_consensus_timestamp, file_id from address_book
      where file_id = $1 order by start_consensus_timestamp desc limit 1
    )
    select n.admin_key, n.associated_registered_nodes, n.decline_reward, e.description, book.end_consensus_timestamp,
      book.file_id, n.grpc_proxy_endpoint, s.max_stake, e.memo, s.min_stake,
      coalesce(n.account_id, e.node_account_id) as node_account_id, e.node_cert_hash, e.node_id, e.public_key,
      s.reward_rate, s.stake, s.stake_not_rewarded, s.stake_rewarded, s.staking_period, book.start_consensus_timestamp,
      (
        select ${serviceEndpoint.packed('p.ip_address_v4, p.port')} from address_book_service_endpoint p
        where p.consensus_timestamp = book.start_consensus_timestamp and p.node_id = e.node_id
      ) as service_endpoints
    from book
    join address_book_entry e on e.consensus_timestamp = book.start_consensus_timestamp
    left join node n on n.node_id = e.node_id
    left join node_stake s
      on s.node_id = e.node_id and s.consensus_timestamp = (select max(consensus_timestamp) from node_stake)
    where e.node_id between $2 and $3 and ($4::bigint[] is null or e.node_id = any($4))
    order by e.node_id ${order}
    limit $5`,
    `p.node_id ${order}`,
  );

const nodesSqlByOrder = { asc: nodesSql('asc'), desc: nodesSql('desc') };

/** The id of the one file asked for. */
const fileId: JavaParameter<bigint> = {
  read: (query, name, context) => {
    const given = singleValue(query, name);
    if (given === undefined) return encodeEntityId(context.shard, context.realm, addressBookFileNumber);
    const match = /^(?:(eq|gte?|lte?|ne):)?(.*)$/i.exec(given);
    const id = parseEntityId(match?.[2] ?? '', context);
    if (id === undefined) throw invalidParameter(name);
    if ((match?.[1] ?? 'eq').toLowerCase() !== 'eq') {
      throw reasonedProblem(400, `Only equality operator is supported for ${name}`);
    }
    return id;
  },
  doc: {
    description: 'The address book file; only equality.',
    schema: { type: 'string', default: '0.0.102' },
  },
};

const nodeIds: JavaParameter<readonly Comparison[]> = {
  read: (query, name) =>
    valuesOf(query, name)
      .filter((value) => value !== '')
      .map((value) => {
        const comparison = parseComparison(value);
        if (comparison === undefined) throw invalidParameter(name);
        return comparison;
      }),
  doc: {
    description: 'Node id with an operator before a colon; repeatable.',
    schema: { type: 'array', items: { type: 'string', pattern: '^((eq|gte?|lte?):)?\\d{1,19}$' } },
    example: ['gte:3'],
  },
};

const parameters = {
  'file.id': fileId,
  limit: limit({ usual: 10, most: 25, beyond: 'lowered' }),
  'node.id': nodeIds,
  order,
};

export const nodesRoute = javaEndpoint({
  path: '/api/v1/network/nodes',
  cacheSeconds: 60,
  operationId: 'getNetworkNodes',
  summary: 'List the consensus nodes',
  description: 'The nodes of the newest address book, with their endpoints, keys and stakes.',
  tag: 'network',
  parameters,
  answer: pageOf('nodes', networkNode, 'One page of nodes.'),
  problems: [400],

  handle: async ({ request, query }, { db }) => {
    const { 'file.id': file, 'node.id': ids, limit, order } = readTogether(request.query, query, parameters);
    const { lower, upper } = rangeOf(ids);
    if (lower > upper) throw reasonedProblem(400, 'Invalid range provided for node.id');
    const equal = ids.filter(({ operator }) => operator === 'eq').map(({ value }) => value);
    const values = [file, lower, upper, equal.length > 0 ? equal : null, limit];
    const rows = await networkNode.read(db, nodesSqlByOrder[order], values);
    const last = rows.at(-1);
    const link =
      last === undefined || rows.length < limit
        ? null
        : nextLink(request, 'node.id', last.nodeId, order, Object.keys(parameters));
    return pageAnswer('nodes', rows, networkNode.put, link);
  },
});
