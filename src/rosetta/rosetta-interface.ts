/**
 * The Rosetta (Mesh) interface: what its parts share, and the endpoints that they make. Owns no port; `server`
 * opens one, and serves the same below `/rosetta` on the ports of HTTP.
 */
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { RosettaServerSettings, RosettaSettings } from '../config/settings/rosetta.ts';
import type { Database } from '../database/connection.ts';
import { encodeEntityId } from '../ledger/entity-id.ts';
import { createAccountNames } from './accounts/account-names.ts';
import { balanceEndpoints } from './accounts/balance-endpoints.ts';
import { blockEndpoints } from './blocks/block-endpoints.ts';
import { createBlockLookup } from './blocks/block-lookup.ts';
import { createTransactionReader } from './blocks/block-transactions.ts';
import { constructionEndpoints } from './construction/construction-endpoints.ts';
import type { Endpoint } from './endpoint.ts';
import { createRosettaMetrics } from './metrics.ts';
import { networkEndpoints } from './network/network-endpoints.ts';
import { registerEndpoints } from './registration.ts';
import type { NetworkIdentifier } from './request.ts';
import { unimplementedEndpoints } from './unimplemented.ts';

export interface RosettaInterfaceOptions {
  /** Reads only. */
  readonly database: Pick<Database, 'transaction'>;
  /** `hiero.mirror.rosetta.*` */
  readonly settings: RosettaSettings;
  /** `kagami.rosetta.*` */
  readonly limits: RosettaServerSettings;
  readonly shard: bigint;
  readonly realm: bigint;
  /** Nanoseconds since the epoch. */
  readonly clock: () => bigint;
  readonly version: string;
  readonly registry: Registry;
  readonly log: { warn(details: object, message: string): void };
}

export interface RosettaInterface {
  /** @param prefix `/rosetta`, or nothing on a port of its own */
  register(app: FastifyInstance, prefix: string): void;
  /** Whether requests can be served: offline always, else once there is a block whose balances are known. */
  isReady(): Promise<boolean>;
}

const TREASURY = 2n;
const STAKING_REWARDS = 800n;

export const createRosettaInterface = (options: RosettaInterfaceOptions): RosettaInterface => {
  const { database, settings, limits, shard, realm, registry, log } = options;
  const { online } = settings;
  const network: NetworkIdentifier = {
    blockchain: 'Hedera',
    network: settings.network.toLowerCase(),
    ...(settings.feature.subNetworkIdentifier
      ? { sub_network_identifier: { network: `shard ${shard} realm ${realm}` } }
      : {}),
  };
  const treasury = encodeEntityId(shard, realm, TREASURY);
  const blocks = createBlockLookup(treasury);
  const names = createAccountNames(settings.cache.entity.maxSize);
  const transactions = createTransactionReader({
    names,
    rewardAccount: encodeEntityId(shard, realm, STAKING_REWARDS).toString(),
    maxTransactions: settings.response.maxTransactionsInBlock,
  });
  const endpoints: readonly Endpoint[] = [
    ...networkEndpoints({
      network,
      nodeVersion: settings.nodeVersion,
      middlewareVersion: options.version,
      online,
      database,
      blocks,
      shard,
      realm,
    }),
    ...blockEndpoints({ database, blocks, transactions }),
    ...balanceEndpoints({ database, blocks, treasury }),
    ...constructionEndpoints({
      database,
      configured: settings.nodes,
      online,
      network: network.network,
      shard,
      realm,
      clock: options.clock,
      submitTimeoutMs: limits.submitTimeout,
    }),
    ...unimplementedEndpoints,
  ];
  const metrics = createRosettaMetrics(registry);
  let atWork = 0;
  const enter = (): (() => void) | undefined => {
    if (atWork >= limits.maxRequests) return undefined;
    atWork++;
    return () => {
      atWork--;
    };
  };
  return {
    register: (app, prefix) =>
      registerEndpoints(app, prefix, {
        endpoints,
        online,
        network,
        metrics,
        maxBodyBytes: limits.maxBodyBytes,
        enter,
        log,
      }),
    isReady: async () => {
      if (!online) return true;
      await database.transaction((client) => blocks.genesis(client), { readOnly: true });
      return true;
    },
  };
};
