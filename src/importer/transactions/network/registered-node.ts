/**
 * Registered nodes: block nodes, mirror nodes, relays and other services around the network
 * ([HIP-1137](https://hips.hedera.com/hip/hip-1137)).
 */
import { TransactionType } from '../../../ledger/transaction-type.ts';
import {
  RegisteredServiceEndpoint_BlockNodeEndpoint_BlockNodeApi as BlockNodeApi,
  type RegisteredServiceEndpoint,
} from '../../../protobuf/generated/services/registered_service_endpoint.ts';
import { lacks } from '../../record-item.ts';
import { ifGiven, int64, ipText, type Json, jsonText, shortText } from '../column-values.ts';
import { type Call, defineHandler, problem, rangeFrom, receiptOf } from '../handler.ts';
import { keyBytes } from '../keys.ts';

type Kind = NonNullable<RegisteredServiceEndpoint['endpointType']>['$case'];

/** Numbers in `registered_node.type`. */
const TYPE_NUMBERS: Readonly<Record<Kind, number>> = { blockNode: 1, generalService: 2, mirrorNode: 3, rpcRelay: 4 };
const UNKNOWN_TYPE = 0;

const API_NAMES = new Map<number, string>(Object.entries(BlockNodeApi).map(([name, number]) => [number, name]));

const apiName = (api: number): string => API_NAMES.get(api) ?? 'UNRECOGNIZED';

/** The member that says what kind of service an endpoint is. */
const kindMember = ({ endpointType: type }: RegisteredServiceEndpoint): Readonly<Record<string, Json>> => {
  switch (type?.$case) {
    case 'blockNode':
      return { block_node: { endpoint_apis: type.blockNode.endpointApi.map(apiName) } };
    case 'generalService':
      return { general_service: { description: type.generalService.description } };
    case 'mirrorNode':
      return { mirror_node: {} };
    case 'rpcRelay':
      return { rpc_relay: {} };
    default:
      return {};
  }
};

const addressMember = (call: Call, { address }: RegisteredServiceEndpoint): Readonly<Record<string, Json>> => {
  if (address?.$case === 'domainName') return { domain_name: address.domainName };
  if (address?.$case !== 'ipAddress') return {};
  const text = ipText(address.ipAddress);
  if (text === undefined) problem(call, `IP address of ${address.ipAddress.length} bytes`);
  return text === undefined ? {} : { ip_address: text };
};

const endpointJson = (call: Call, endpoint: RegisteredServiceEndpoint): Json => ({
  ...addressMember(call, endpoint),
  ...kindMember(endpoint),
  port: endpoint.port,
  requires_tls: endpoint.requiresTls,
});

const typeNumber = ({ endpointType }: RegisteredServiceEndpoint): number =>
  endpointType === undefined ? UNKNOWN_TYPE : TYPE_NUMBERS[endpointType.$case];

const endpointColumns = (call: Call, endpoints: readonly RegisteredServiceEndpoint[]) => ({
  service_endpoints: jsonText(endpoints.map((endpoint) => endpointJson(call, endpoint))),
  type: [...new Set(endpoints.map(typeNumber))].sort((left, right) => left - right),
});

export const registeredNodeCreate = defineHandler(TransactionType.REGISTEREDNODECREATE, 'registeredNodeCreate', {
  success(call) {
    if (lacks(call.item, 'registered node id')) return;
    const { adminKey, description, serviceEndpoint } = call.body;
    const registeredNodeId = int64(receiptOf(call)?.registeredNodeId ?? -1n);
    if (registeredNodeId < 0n) {
      problem(call, `Invalid registered node id ${registeredNodeId}`);
      return;
    }
    call.context.batch.stage('registered_node', {
      ...endpointColumns(call, serviceEndpoint),
      admin_key: keyBytes(adminKey),
      created_timestamp: call.timestamp,
      deleted: false,
      description: shortText(call, description),
      registered_node_id: registeredNodeId,
      timestamp_range: rangeFrom(call),
    });
  },
});

export const registeredNodeUpdate = defineHandler(TransactionType.REGISTEREDNODEUPDATE, 'registeredNodeUpdate', {
  success(call) {
    const { adminKey, description, registeredNodeId, serviceEndpoint } = call.body;
    call.context.batch.stage('registered_node', {
      ...(serviceEndpoint.length > 0 && endpointColumns(call, serviceEndpoint)),
      admin_key: keyBytes(adminKey),
      deleted: false,
      description: ifGiven(description, (text) => shortText(call, text)),
      registered_node_id: int64(registeredNodeId),
      timestamp_range: rangeFrom(call),
    });
  },
});

export const registeredNodeDelete = defineHandler(TransactionType.REGISTEREDNODEDELETE, 'registeredNodeDelete', {
  success(call) {
    const registered_node_id = int64(call.body.registeredNodeId);
    call.context.batch.stage('registered_node', {
      registered_node_id,
      deleted: true,
      timestamp_range: rangeFrom(call),
    });
  },
});
