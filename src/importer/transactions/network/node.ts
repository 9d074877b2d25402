/**
 * Consensus nodes in the dynamic address book ([HIP-869](https://hips.hedera.com/hip/hip-869)). Their transactions' raw
 * bytes are common columns.
 */

import type { EntityId } from '../../../ledger/entity-id.ts';
import { TransactionType } from '../../../ledger/transaction-type.ts';
import type { AccountID, ServiceEndpoint } from '../../../protobuf/generated/services/basic_types.ts';
import type { NodeUpdateTransactionBody } from '../../../protobuf/generated/services/node_update.ts';
import { lacks } from '../../record-item.ts';
import type { StagedVersion } from '../../tables/registry.ts';
import { ifGiven, int64, ipText, jsonText } from '../column-values.ts';
import { type Call, defineHandler, problem, rangeFrom, receiptOf } from '../handler.ts';
import { accountNumber, requireAccount } from '../ids.ts';
import { keyBytes } from '../keys.ts';

/** Port that tells the merge to clear the endpoint. */
const CLEARED_PORT = -1;

const isDefault = ({ ipAddressV4, port, domainName }: ServiceEndpoint): boolean =>
  ipAddressV4.length === 0 && port === 0 && domainName === '';

const endpointAddress = (call: Call, bytes: Uint8Array): string => {
  const text = bytes.length === 0 ? '' : ipText(bytes);
  if (text === undefined) problem(call, `IP address of ${bytes.length} bytes`);
  return text ?? '';
};

const proxyEndpoint = (call: Call, endpoint: ServiceEndpoint): string =>
  isDefault(endpoint)
    ? jsonText({ domain_name: '', ip_address_v4: '', port: CLEARED_PORT })
    : jsonText({
        domain_name: endpoint.domainName,
        ip_address_v4: endpointAddress(call, endpoint.ipAddressV4),
        port: endpoint.port,
      });

type NodeFields = Pick<NodeUpdateTransactionBody, 'accountId' | 'adminKey' | 'declineReward' | 'grpcProxyEndpoint'>;

const accountOf = (call: Call, id: AccountID | undefined): EntityId | undefined =>
  id === undefined ? undefined : requireAccount(call, id, 'node account');

const nodeColumns = (call: Call<NodeFields>): Partial<StagedVersion<'node'>> => ({
  account_id: accountOf(call, call.body.accountId),
  admin_key: keyBytes(call.body.adminKey),
  decline_reward: call.body.declineReward,
  deleted: false,
  grpc_proxy_endpoint: ifGiven(call.body.grpcProxyEndpoint, (endpoint) => proxyEndpoint(call, endpoint)),
  timestamp_range: rangeFrom(call),
});

export const nodeCreate = defineHandler(TransactionType.NODECREATE, 'nodeCreate', {
  entityId: (source) => accountNumber(source, source.body.accountId),
  success(call) {
    if (lacks(call.item, 'node id')) return;
    call.context.batch.stage('node', {
      ...nodeColumns(call),
      node_id: int64(receiptOf(call)?.nodeId ?? 0n),
      associated_registered_nodes: call.body.associatedRegisteredNode.map(int64),
      created_timestamp: call.timestamp,
    });
  },
});

/** Nodes that came from the old address book are made known by child transactions of their first update. */
const createdTimestamp = ({ item, timestamp }: Call): bigint | undefined =>
  (item.body.transactionID?.nonce ?? 0) > 0 ? timestamp : undefined;

export const nodeUpdate = defineHandler(TransactionType.NODEUPDATE, 'nodeUpdate', {
  entityId: (source) => accountNumber(source, source.body.accountId),
  success(call) {
    const { nodeId, associatedRegisteredNodeList: associated } = call.body;
    call.context.batch.stage('node', {
      ...nodeColumns(call),
      node_id: int64(nodeId),
      associated_registered_nodes: associated?.associatedRegisteredNode.map(int64),
      created_timestamp: createdTimestamp(call),
    });
  },
});

export const nodeDelete = defineHandler(TransactionType.NODEDELETE, 'nodeDelete', {
  success(call) {
    const node_id = int64(call.body.nodeId);
    call.context.batch.stage('node', { node_id, deleted: true, timestamp_range: rangeFrom(call) });
  },
});
