/**
 * Consensus nodes of the dynamic address book ([HIP-869](https://hips.hedera.com/hip/hip-869)), and nodes of other
 * services around them ([HIP-1137](https://hips.hedera.com/hip/hip-1137)).
 */
import { RegisteredServiceEndpoint_BlockNodeEndpoint_BlockNodeApi as BlockNodeApi } from '../../../protobuf/generated/services/registered_service_endpoint.ts';
import { protobufKey } from '../../keys/account-key.ts';
import { fees } from '../../network/fee-schedule.ts';
import type { BlockBuilder } from '../../records/block-builder.ts';
import { accountId } from '../../records/proto-ids.ts';
import type { NetworkNode, RegisteredNode } from '../../state/ledger-entities.ts';
import { type Activity, chooseUser, treasury } from '../choose.ts';

const HBAR = 100_000_000n;
const MAX_LIVE = 12;
const MAX_EVER = 300;
const PORT = 50_211;

const liveRegistered = ({ state }: BlockBuilder): RegisteredNode[] =>
  state.registeredNodes.filter((node) => !node.deleted);
/** Nodes that the simulated network doesn't consist of: they can be removed. */
const guests = ({ state, settings }: BlockBuilder): NetworkNode[] =>
  state.nodes.filter((node) => !node.deleted && node.nodeId >= BigInt(settings.nodeCount));

const endpointOf = (nodeId: bigint) => ({ domainName: `node${nodeId}.simulated.test`, port: PORT });

/** Somebody's account becomes that of a new node, which never takes part in consensus here. */
export const createNode: Activity = (builder) => {
  const { random, state } = builder;
  const account = chooseUser(builder, HBAR);
  const nodeId = BigInt(state.nodes.length);
  if (account?.key === undefined || guests(builder).length >= MAX_LIVE || state.nodes.length >= MAX_EVER) return false;
  const registered = random.pick(liveRegistered(builder));
  const node: NetworkNode = {
    nodeId,
    account: account.num,
    declineReward: random.chance(0.5),
    registered: registered === undefined ? [] : [registered.id],
    deleted: false,
  };
  builder.submit({
    payer: treasury(builder),
    fee: fees.nodeUpdate,
    data: {
      $case: 'nodeCreate',
      nodeCreate: {
        accountId: accountId(account.num),
        description: `Guest node ${nodeId}`,
        gossipEndpoint: [endpointOf(nodeId)],
        serviceEndpoint: [endpointOf(nodeId)],
        gossipCaCertificate: Buffer.from(`certificate of node ${nodeId}`),
        adminKey: protobufKey(account.key),
        declineReward: node.declineReward,
        grpcProxyEndpoint: endpointOf(nodeId),
        associatedRegisteredNode: [...node.registered],
      },
    },
    receipt: { nodeId },
    signers: [account.key],
  });
  account.pinned = true;
  state.nodes.push(node);
  return true;
};

/** A node changes its description and its registered nodes, and a guest its rewards. */
export const updateNode: Activity = (builder) => {
  const { random, state, consensusTime } = builder;
  const node = random.pick(state.nodes);
  if (node === undefined || node.deleted) return false;
  const isGuest = node.nodeId >= BigInt(builder.settings.nodeCount);
  if (isGuest) node.declineReward = !node.declineReward;
  node.registered = liveRegistered(builder)
    .slice(0, random.chance(0.2) ? 0 : random.between(1, 2))
    .map(({ id }) => id);
  builder.submit({
    payer: treasury(builder),
    fee: fees.nodeUpdate,
    data: {
      $case: 'nodeUpdate',
      nodeUpdate: {
        nodeId: node.nodeId,
        description: `Simulated node ${node.nodeId}, since ${consensusTime}`,
        associatedRegisteredNodeList: { associatedRegisteredNode: [...node.registered] },
        ...(isGuest && { declineReward: node.declineReward }),
      },
    },
    receipt: { nodeId: node.nodeId },
  });
  return true;
};

export const deleteNode: Activity = (builder) => {
  const node = builder.random.pick(guests(builder));
  if (node === undefined) return false;
  builder.submit({
    payer: treasury(builder),
    fee: fees.nodeUpdate,
    data: { $case: 'nodeDelete', nodeDelete: { nodeId: node.nodeId } },
    receipt: { nodeId: node.nodeId },
  });
  node.deleted = true;
  return true;
};

/** Services that a registered node may offer, with their numbers. */
const services = (id: bigint) => [
  {
    type: 1,
    endpointType: {
      $case: 'blockNode' as const,
      blockNode: { endpointApi: [BlockNodeApi.STATUS, BlockNodeApi.PUBLISH] },
    },
  },
  {
    type: 2,
    endpointType: { $case: 'generalService' as const, generalService: { description: `service of ${id}` } },
  },
  { type: 3, endpointType: { $case: 'mirrorNode' as const, mirrorNode: {} } },
  { type: 4, endpointType: { $case: 'rpcRelay' as const, rpcRelay: {} } },
];

const endpointsOf = ({ random }: BlockBuilder, id: bigint) => {
  const all = services(id);
  const first = random.below(all.length);
  const chosen = all.slice(first, first + random.between(1, 2));
  return {
    types: chosen.map(({ type }) => type),
    serviceEndpoint: chosen.map(({ endpointType }, index) => ({
      address:
        index === 0
          ? { $case: 'domainName' as const, domainName: `registered${id}.simulated.test` }
          : { $case: 'ipAddress' as const, ipAddress: Uint8Array.of(10, 0, 0, Number(id % 250n)) },
      port: PORT + index,
      requiresTls: index === 0,
      endpointType,
    })),
  };
};

export const createRegisteredNode: Activity = (builder) => {
  const { state } = builder;
  const owner = chooseUser(builder, HBAR);
  const id = BigInt(state.registeredNodes.length);
  if (owner?.key === undefined || liveRegistered(builder).length >= MAX_LIVE || id >= MAX_EVER) return false;
  const { types, serviceEndpoint } = endpointsOf(builder, id);
  const description = `registered node ${id}`;
  builder.submit({
    payer: owner,
    fee: fees.nodeUpdate,
    data: {
      $case: 'registeredNodeCreate',
      registeredNodeCreate: { adminKey: protobufKey(owner.key), description, serviceEndpoint },
    },
    receipt: { registeredNodeId: id },
  });
  owner.pinned = true;
  state.registeredNodes.push({ id, description, types, deleted: false });
  return true;
};

/** A registered node changes its description, and sometimes its endpoints. */
export const updateRegisteredNode: Activity = (builder) => {
  const { random, consensusTime } = builder;
  const node = random.pick(liveRegistered(builder));
  const payer = chooseUser(builder, HBAR);
  if (node === undefined || payer === undefined) return false;
  const changed = random.chance(0.5) ? endpointsOf(builder, node.id) : undefined;
  node.description = `registered node ${node.id}, since ${consensusTime}`;
  if (changed !== undefined) node.types = changed.types;
  builder.submit({
    payer,
    fee: fees.nodeUpdate,
    data: {
      $case: 'registeredNodeUpdate',
      registeredNodeUpdate: {
        registeredNodeId: node.id,
        description: node.description,
        serviceEndpoint: changed?.serviceEndpoint ?? [],
      },
    },
  });
  return true;
};

export const deleteRegisteredNode: Activity = (builder) => {
  const { random, state } = builder;
  const node = random.pick(liveRegistered(builder));
  const payer = chooseUser(builder, HBAR);
  if (node === undefined || payer === undefined) return false;
  if (state.nodes.some(({ deleted, registered }) => !deleted && registered.includes(node.id))) return false;
  builder.submit({
    payer,
    fee: fees.nodeUpdate,
    data: { $case: 'registeredNodeDelete', registeredNodeDelete: { registeredNodeId: node.id } },
  });
  node.deleted = true;
  return true;
};
