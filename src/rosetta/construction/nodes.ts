/** The nodes that transactions are made for and submitted to: the configured ones, or those of the address book. */
import type { Database } from '../../database/connection.ts';
import { formatEntityId, parseEntityId } from '../../ledger/entity-id.ts';
import { readPeers } from '../network/network-endpoints.ts';
import type { ConstructionNetwork } from './accounts.ts';

export interface NetworkNode {
  /** `shard.realm.num` */
  readonly account: string;
  /** `host:port`; several addresses are of one node. */
  readonly addresses: readonly string[];
}

export interface NodesOptions extends ConstructionNetwork {
  readonly database: Pick<Database, 'transaction'>;
  /** `hiero.mirror.rosetta.nodes` */
  readonly configured: Readonly<Record<string, string>>;
  readonly online: boolean;
  readonly network: string;
}

/** Networks whose first nodes always were these; without a ledger to read there is nothing to know them by. */
const namedNetworks: ReadonlySet<string> = new Set(['mainnet', 'testnet', 'previewnet', 'demo']);
const FIRST_NODE = 3;
const LAST_NODE = 9;

/** Nodes take plain gRPC on this port; on others of their endpoints they expect TLS. */
const PLAIN_PORT = /:50211$/;

const configuredNodes = (configured: NodesOptions['configured']): readonly NetworkNode[] => {
  const byAccount = Map.groupBy(Object.entries(configured), ([, account]) => {
    const id = parseEntityId(account);
    return id === undefined ? account : formatEntityId(id);
  });
  return [...byAccount].map(([account, entries]) => ({ account, addresses: entries.map(([address]) => address) }));
};

/** Gives what reads the nodes. */
export const createNodes = (options: NodesOptions): (() => Promise<readonly NetworkNode[]>) => {
  const { database, online, network } = options;
  const configured = configuredNodes(options.configured);
  return async () => {
    if (configured.length > 0) return configured;
    if (!online) {
      if (!namedNetworks.has(network)) return [];
      const numbers = Array.from({ length: LAST_NODE - FIRST_NODE + 1 }, (_, index) => FIRST_NODE + index);
      return numbers.map((number) => ({ account: `${options.shard}.${options.realm}.${number}`, addresses: [] }));
    }
    const peers = await database.transaction((client) => readPeers(client, options), { readOnly: true });
    return peers.map(({ metadata: { account_id: account, endpoints } }) => {
      const plain = endpoints.filter((endpoint) => PLAIN_PORT.test(endpoint));
      return { account, addresses: plain.length > 0 ? plain : endpoints };
    });
  };
};
