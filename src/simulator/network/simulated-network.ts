import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { KagamiError } from '../../errors/kagami-error.ts';
import { NodeAddressBook } from '../../protobuf/generated/services/basic_types.ts';
import { rsaKeyFromSeed } from '../keys/rsa-key.ts';
import { accountId } from '../records/proto-ids.ts';
import { readIfPresent, writeAtomically } from '../state/atomic-file.ts';

/** One consensus node of the simulated network. */
export interface SimulatedNode {
  readonly nodeId: number;
  readonly accountNum: bigint;
  readonly privateKey: KeyObject;
  /** Hex of the DER SubjectPublicKeyInfo, as address books carry it. */
  readonly publicKeyHex: string;
  /** SHA-384 of the node's certificate as address books carry it: the bytes of its hex text. */
  readonly certHash: Uint8Array;
  readonly description: string;
  readonly ipAddressV4: Uint8Array;
  readonly domainName: string;
  /** Port for transactions that the address book names. */
  readonly grpcPort: number;
  /** Whether there is somebody to take transactions. */
  readonly isReachable: boolean;
}

/** Who signs: everything here follows from seed and node count, and never changes within one folder. */
export interface SimulatedNetwork {
  readonly seed: string;
  readonly nodes: readonly SimulatedNode[];
  /**
   * Whether this is a network for development: system accounts have the published key, others are there to pay with, and
   * the address book says where node 0.0.3 takes transactions.
   */
  readonly development: boolean;
}

const FIRST_NODE_ACCOUNT = 3n;
const GOSSIP_PORT = 50_111;
/** The one port that SDKs look for in address books. */
const GRPC_PORT = 50_211;
const PROXY_PORT = 443;

/** SDKs turn to no node with another port, so those that nobody runs get others, in steps as local networks have them. */
const developmentPort = (nodeId: number): number =>
  nodeId === 0 ? GRPC_PORT : GRPC_PORT + 1_000 * (((nodeId - 1) % 14) + 1);

/** File of a simulation folder with seed and node keys; mode 0600. */
const NETWORK_FILE = 'network.json';

interface StoredNetwork {
  readonly seed: string;
  readonly development?: boolean;
  readonly nodes: readonly { readonly nodeId: number; readonly privateKey: string }[];
}

const nodeOf = (nodeId: number, privateKey: KeyObject, development: boolean): SimulatedNode => {
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return {
    nodeId,
    accountNum: FIRST_NODE_ACCOUNT + BigInt(nodeId),
    privateKey,
    publicKeyHex: spki.toString('hex'),
    certHash: Buffer.from(createHash('sha384').update(spki).digest('hex')),
    description: `Simulated node ${nodeId}`,
    ipAddressV4: Uint8Array.of(127, 0, 0, nodeId + 1),
    domainName: `node${String(nodeId).padStart(2, '0')}.simulated.test`,
    grpcPort: development ? developmentPort(nodeId) : GRPC_PORT,
    isReachable: development && nodeId === 0,
  };
};

export interface NetworkOptions {
  readonly seed: string;
  readonly nodeCount: number;
  /** Decided when the folder is made. */
  readonly development: boolean;
}

/** Makes the network of a seed: `nodeCount` nodes with accounts from 0.0.3 on. */
const createNetwork = async ({ seed, nodeCount, development }: NetworkOptions): Promise<SimulatedNetwork> => {
  const nodes: SimulatedNode[] = [];
  for (let nodeId = 0; nodeId < nodeCount; nodeId++) {
    nodes.push(nodeOf(nodeId, await rsaKeyFromSeed(seed, `node/${nodeId}`), development));
  }
  return { seed, nodes, development };
};

/**
 * The network of a simulation folder: read from `network.json`, or made and kept there.
 * @throws KagamiError SIMULATOR_FOLDER_MISMATCH when the folder holds a network of another seed or node count.
 */
export const openNetwork = async (directory: string, options: NetworkOptions): Promise<SimulatedNetwork> => {
  const { seed, nodeCount } = options;
  const path = `${directory}/${NETWORK_FILE}`;
  const text = await readIfPresent(path);
  if (text === undefined) {
    const network = await createNetwork(options);
    const stored: StoredNetwork = {
      seed,
      ...(network.development && { development: true }),
      nodes: network.nodes.map((node) => ({
        nodeId: node.nodeId,
        privateKey: node.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
      })),
    };
    await writeAtomically(path, Buffer.from(`${JSON.stringify(stored, undefined, 2)}\n`), 0o600);
    return network;
  }
  const stored = JSON.parse(text.toString('utf8')) as StoredNetwork;
  if (stored.seed !== seed || stored.nodes.length !== nodeCount) {
    throw new KagamiError(
      'SIMULATOR_FOLDER_MISMATCH',
      `${directory} holds a simulated network of seed '${stored.seed}' with ${stored.nodes.length} nodes, ` +
        `not of seed '${seed}' with ${nodeCount}`,
      { details: { directory } },
    );
  }
  const development = stored.development ?? false;
  const nodes = stored.nodes.map((node) => nodeOf(node.nodeId, createPrivateKey(node.privateKey), development));
  return { seed, nodes, development };
};

/** The address book as the network's files 101 and 102 carry it (NodeAddressBook, serialized). */
export const addressBookBytes = (network: SimulatedNetwork): Uint8Array =>
  NodeAddressBook.encode(
    NodeAddressBook.fromPartial({
      nodeAddress: network.nodes.map((node) => ({
        RSAPubKey: node.publicKeyHex,
        nodeId: BigInt(node.nodeId),
        nodeAccountId: accountId(node.accountNum),
        nodeCertHash: node.certHash,
        // Books name the account here too, from the time when it had no field of its own.
        memo: Buffer.from(`0.0.${node.accountNum}`),
        description: node.description,
        serviceEndpoint: serviceEndpoints(node),
      })),
    }),
  ).finish();

const endpointsOf = (node: SimulatedNode, port: number) => [
  { ipAddressV4: node.ipAddressV4, port, domainName: '' },
  { ipAddressV4: new Uint8Array(), port, domainName: node.domainName },
];

/**
 * Where browsers reach the node ([HIP-1046](https://hips.hedera.com/hip/hip-1046)): every other one by its name, the
 * rest by address.
 */
export const proxyEndpoint = ({ nodeId, ipAddressV4, domainName }: SimulatedNode) =>
  nodeId % 2 === 0
    ? { ipAddressV4: new Uint8Array(), port: PROXY_PORT, domainName: `grpc-web.${domainName}` }
    : { ipAddressV4, port: PROXY_PORT, domainName: '' };

export const gossipEndpoints = (node: SimulatedNode) => endpointsOf(node, GOSSIP_PORT);
/** Of a node that is reachable, the address alone: nobody resolves the names of simulated nodes. */
export const serviceEndpoints = (node: SimulatedNode) =>
  endpointsOf(node, node.grpcPort).slice(0, node.isReachable ? 1 : undefined);
