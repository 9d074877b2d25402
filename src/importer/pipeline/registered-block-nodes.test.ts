import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import type { BlockNodeAddress } from '../../sources/block-node/block-node-address.ts';
import { readRegisteredBlockNodes, withRegistered } from './registered-block-nodes.ts';

let target: TestDatabase;
beforeAll(async () => {
  target = await createTestDatabase();
});
afterAll(() => target.drop());

const endpoint = (host: string, port: number, ...endpoint_apis: readonly string[]) => ({
  domain_name: host,
  block_node: { endpoint_apis },
  port,
  requires_tls: false,
});

const register = (id: number, endpoints: readonly object[], { type = 1, deleted = false } = {}): Promise<unknown> =>
  target.database.query(
    `insert into registered_node (registered_node_id, service_endpoints, type, deleted, timestamp_range)
     values ($1, $2, $3, $4, int8range(1, null))`,
    [id, JSON.stringify(endpoints), `{${type}}`, deleted],
  );

const at = (host: string, port: number) => ({ host, port, requiresTls: false });

it('asks registered block nodes that take blocks from the network, where they serve status and stream', async () => {
  await register(1, [
    endpoint('one', 1, 'PUBLISH'),
    endpoint('one', 2, 'STATUS'),
    endpoint('one', 3, 'STATUS', 'SUBSCRIBE_STREAM'),
  ]);
  await register(2, [
    { ...endpoint('', 4, 'STATUS'), ip_address: '10.0.0.2' },
    endpoint('two', 5, 'PUBLISH'),
    { domain_name: 'two', port: 6, requires_tls: true, block_node: { endpoint_apis: ['SUBSCRIBE_STREAM'] } },
    { domain_name: 'two', port: 7, requires_tls: false, mirror_node: {} },
  ]);
  await register(3, [endpoint('second-tier', 1, 'STATUS', 'SUBSCRIBE_STREAM')]);
  await register(4, [endpoint('deleted', 1, 'PUBLISH', 'STATUS', 'SUBSCRIBE_STREAM')], { deleted: true });
  await register(5, [{ domain_name: 'mirror', port: 1, requires_tls: false, mirror_node: {} }], { type: 3 });
  await register(6, [endpoint('no-stream', 1, 'PUBLISH', 'STATUS')]);
  expect(await readRegisteredBlockNodes(target.database)).toEqual([
    { priority: 0, status: at('one', 3), subscribe: at('one', 3) },
    { priority: 0, status: at('10.0.0.2', 4), subscribe: { host: 'two', port: 6, requiresTls: true } },
  ]);
});

it('takes a registered node in place of a configured one at the same place', () => {
  const node = (host: string, priority: number): BlockNodeAddress => ({
    priority,
    status: at(host, 1),
    subscribe: at(host, 1),
  });
  expect(withRegistered([node('a', 5), node('b', 1)], [node('a', 0), node('c', 0)])).toEqual([
    node('b', 1),
    node('a', 0),
    node('c', 0),
  ]);
});
