import { describe, expect, it } from 'vitest';
import {
  account,
  alias,
  bytes,
  ED25519,
  handle,
  handleFailed,
  type ItemFields,
  itemOf,
  SINCE_T,
  T,
} from '../testing/handled.fixture.ts';

const NODE = { node_id: 7n, deleted: false, timestamp_range: SINCE_T };

describe('node create', () => {
  const create = (body: object): ItemFields => ({
    data: { $case: 'nodeCreate', nodeCreate: { accountId: account(300n), ...body } },
    receipt: { nodeId: 7n },
  });
  const created = {
    ...NODE,
    account_id: 300n,
    associated_registered_nodes: [],
    created_timestamp: T,
    decline_reward: false,
  };

  it('creates the node of the receipt', () => {
    const handled = handle(itemOf(create({})));
    expect(handled.entityId).toBe(300n);
    expect(handled.all).toEqual([{ table: 'node', row: created }]);
    expect(handleFailed(create({}))).toMatchObject({ entityId: 300n, all: [] });
  });

  it('keeps key, proxy endpoint and registered nodes', () => {
    const handled = handle(
      itemOf(
        create({
          adminKey: ED25519.key,
          associatedRegisteredNode: [1n, 2n],
          declineReward: true,
          grpcProxyEndpoint: { ipAddressV4: bytes('7f000001'), port: 443, domainName: 'a.b' },
        }),
      ),
    );
    expect(handled.rows('node')).toEqual([
      {
        ...created,
        admin_key: ED25519.bytes,
        associated_registered_nodes: [1n, 2n],
        decline_reward: true,
        grpc_proxy_endpoint: '{"domain_name":"a.b","ip_address_v4":"127.0.0.1","port":443}',
      },
    ]);
  });

  it('notes an account that is unknown and an address that is none', () => {
    const grpcProxyEndpoint = { ipAddressV4: bytes('7f'), port: 1 };
    const handled = handle(itemOf(create({ accountId: alias(bytes('ee'.repeat(20))), grpcProxyEndpoint })));
    const { account_id: _, ...withoutAccount } = created;
    expect(handled.rows('node')).toEqual([
      { ...withoutAccount, grpc_proxy_endpoint: '{"domain_name":"","ip_address_v4":"","port":1}' },
    ]);
    expect(handled.problems).toEqual(['Unknown alias or EVM address of the node account', 'IP address of 1 bytes']);
  });
});

describe('node update', () => {
  const update = (body: object, more: ItemFields = {}): ItemFields => ({
    data: { $case: 'nodeUpdate', nodeUpdate: { nodeId: 7n, ...body } },
    ...more,
  });

  it('changes what the body gives', () => {
    expect(handle(itemOf(update({})))).toMatchObject({ entityId: 0n });
    expect(handle(itemOf(update({}))).all).toEqual([{ table: 'node', row: NODE }]);
    const body = { accountId: account(301n), declineReward: true, associatedRegisteredNodeList: {} };
    const handled = handle(itemOf(update(body)));
    expect(handled.entityId).toBe(301n);
    expect(handled.rows('node')).toEqual([
      { ...NODE, account_id: 301n, associated_registered_nodes: [], decline_reward: true },
    ]);
    expect(handleFailed(update(body)).all).toEqual([]);
  });

  it('clears the proxy endpoint with an empty one', () => {
    expect(handle(itemOf(update({ grpcProxyEndpoint: {} }))).rows('node')).toEqual([
      { ...NODE, grpc_proxy_endpoint: '{"domain_name":"","ip_address_v4":"","port":-1}' },
    ]);
  });

  it('makes a node known that came from the old address book', () => {
    expect(handle(itemOf(update({}, { nonce: 1 }))).rows('node')).toEqual([{ ...NODE, created_timestamp: T }]);
  });
});

describe('node delete', () => {
  it('ends the node', () => {
    const data = { $case: 'nodeDelete' as const, nodeDelete: { nodeId: 7n } };
    expect(handle(itemOf({ data }))).toMatchObject({ entityId: 0n });
    expect(handle(itemOf({ data })).all).toEqual([{ table: 'node', row: { ...NODE, deleted: true } }]);
    expect(handleFailed({ data }).all).toEqual([]);
  });
});

describe('registered nodes', () => {
  const create = (body: object, registeredNodeId = 9n): ItemFields => ({
    data: { $case: 'registeredNodeCreate', registeredNodeCreate: body },
    receipt: { registeredNodeId },
  });
  const REGISTERED = { registered_node_id: 9n, deleted: false, timestamp_range: SINCE_T };
  const endpoints = [
    {
      address: { $case: 'ipAddress' as const, ipAddress: bytes('0a000001') },
      port: 40_840,
      requiresTls: true,
      endpointType: { $case: 'blockNode' as const, blockNode: { endpointApi: [1, 3, 77] } },
    },
    {
      address: { $case: 'ipAddress' as const, ipAddress: bytes('20010db8000000000000000000000001') },
      endpointType: { $case: 'rpcRelay' as const, rpcRelay: {} },
    },
    {
      address: { $case: 'domainName' as const, domainName: 'm.example' },
      port: 1,
      endpointType: { $case: 'mirrorNode' as const, mirrorNode: {} },
    },
    {
      address: { $case: 'domainName' as const, domainName: 'g.example' },
      endpointType: { $case: 'generalService' as const, generalService: { description: 'd"' } },
    },
    { endpointType: { $case: 'blockNode' as const, blockNode: {} } },
  ];
  const endpointColumns = {
    service_endpoints: `[${[
      '{"ip_address":"10.0.0.1","block_node":{"endpoint_apis":["STATUS","SUBSCRIBE_STREAM","UNRECOGNIZED"]},"port":40840,"requires_tls":true}',
      '{"ip_address":"2001:db8:0:0:0:0:0:1","rpc_relay":{},"port":0,"requires_tls":false}',
      '{"domain_name":"m.example","mirror_node":{},"port":1,"requires_tls":false}',
      '{"domain_name":"g.example","general_service":{"description":"d\\""},"port":0,"requires_tls":false}',
      '{"block_node":{"endpoint_apis":[]},"port":0,"requires_tls":false}',
    ].join(',')}]`,
    type: [1, 2, 3, 4],
  };

  it('are created with their endpoints', () => {
    const handled = handle(itemOf(create({ adminKey: ED25519.key, description: 'x', serviceEndpoint: endpoints })));
    expect(handled.entityId).toBe(0n);
    expect(handled.all).toEqual([
      {
        table: 'registered_node',
        row: {
          ...REGISTERED,
          ...endpointColumns,
          admin_key: ED25519.bytes,
          created_timestamp: T,
          description: 'x',
        },
      },
    ]);
    expect(handleFailed(create({})).all).toEqual([]);
  });

  it('need an id', () => {
    const handled = handle(itemOf(create({}, 2n ** 64n - 1n)));
    expect(handled.all).toEqual([]);
    expect(handled.problems).toEqual(['Invalid registered node id -1']);
  });

  it('keep their endpoints unless others are given', () => {
    const update = (body: object): ItemFields => ({
      data: { $case: 'registeredNodeUpdate', registeredNodeUpdate: { registeredNodeId: 9n, ...body } },
    });
    expect(handle(itemOf(update({}))).all).toEqual([{ table: 'registered_node', row: REGISTERED }]);
    expect(handle(itemOf(update({ description: '', serviceEndpoint: endpoints }))).rows('registered_node')).toEqual([
      { ...REGISTERED, ...endpointColumns, description: '' },
    ]);
    expect(handle(itemOf(update({ serviceEndpoint: [{ port: 5 }] }))).rows('registered_node')).toMatchObject([
      { type: [0], service_endpoints: '[{"port":5,"requires_tls":false}]' },
    ]);
  });

  it('end', () => {
    const data = { $case: 'registeredNodeDelete' as const, registeredNodeDelete: { registeredNodeId: 9n } };
    expect(handle(itemOf({ data })).all).toEqual([{ table: 'registered_node', row: { ...REGISTERED, deleted: true } }]);
    expect(handleFailed({ data }).all).toEqual([]);
  });
});
