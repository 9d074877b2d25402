/** The nodes that transactions are made for and submitted to: the configured ones, or those of the address book. */
import type { Database } from '../../database/connection.ts';
import { formatEntityId, parseEntityId } from '../../ledger/entity-id.ts';
import { type BookNode, readBookNodes } from '../network/network-endpoints.ts';
import type { ConstructionNetwork } from './accounts.ts';
import { PLAIN_PORT, portOf, TLS_PORT } from './node-channel.ts';

export interface NetworkNode {
  /** `shard.realm.num` */
  readonly account: string;
  /** `host:port`; several addresses are of one node. */
  readonly addresses: readonly string[];
  /** SHA-384 of its certificate, hex digits, where the address book tells it. */
  readonly certificateHash?: string;
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

/** What transactions say is public: TLS is for nodes that offer nothing else. Other ports are of proxies for browsers. */
const reachedBy = (endpoints: readonly string[]): readonly string[] => {
  const at = (port: number): readonly string[] => endpoints.filter((endpoint) => portOf(endpoint) === port);
  return [at(PLAIN_PORT), at(TLS_PORT), endpoints].find((found) => found.length > 0) ?? [];
};

const networkNode = ({ account, endpoints, certificateHash }: BookNode): NetworkNode => ({
  account,
  addresses: reachedBy(endpoints),
  ...(certificateHash === undefined ? {} : { certificateHash }),
});

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
  const isSecured = configured.some(({ addresses }) => addresses.some((address) => portOf(address) === TLS_PORT));
  const readBook = (): Promise<readonly NetworkNode[]> =>
    database.transaction(async (client) => (await readBookNodes(client, options)).map(networkNode), { readOnly: true });
  return async () => {
    if (configured.length > 0) {
      if (!online || !isSecured) return configured;
      const hashes = new Map((await readBook()).map(({ account, certificateHash }) => [account, certificateHash]));
      return configured.map((node) => {
        const certificateHash = hashes.get(node.account);
        return certificateHash === undefined ? node : { ...node, certificateHash };
      });
    }
    if (!online) {
      if (!namedNetworks.has(network)) return [];
      const numbers = Array.from({ length: LAST_NODE - FIRST_NODE + 1 }, (_, index) => FIRST_NODE + index);
      return numbers.map((number) => ({ account: `${options.shard}.${options.realm}.${number}`, addresses: [] }));
    }
    return await readBook();
  };
};
