/** The simulated network's port for transactions, as part of `kagami start`. */
import type { Registry } from 'prom-client';
import { ownPorts } from '../../config/settings/own-ports.ts';
import { isKagamiError } from '../../errors/kagami-error.ts';
import { type NodeEndpoint, openNodeEndpoint } from '../../node/node-endpoint.ts';
import { developmentAccounts } from '../../simulator/opening/published-accounts.ts';
import type { ReadySettings } from '../command-context.ts';
import type { DevelopmentNetwork } from '../terminal/banner.ts';
import type { LiveSource } from './live-source.ts';

/**
 * Undefined when no transactions are taken: there is no simulated network, nobody wants that, or the usual port is taken.
 * @throws KagamiError PORT_UNAVAILABLE when the port was chosen
 */
export const openSubmission = async (
  { settings, origins, logger }: ReadySettings,
  source: LiveSource | undefined,
  registry: Registry | undefined,
): Promise<NodeEndpoint | undefined> => {
  const { submit } = settings.kagami.simulator;
  if (!submit.enabled || source?.simulated === undefined) return undefined;
  const { entrance } = source.simulated;
  if (entrance === undefined) {
    logger.warn(
      { setting: 'kagami.simulator.submit.enabled' },
      'the simulated network was begun without accounts for development and takes no transactions; a new folder has them',
    );
    return undefined;
  }
  try {
    return await openNodeEndpoint({
      entrance,
      settings: submit,
      registry,
      log: logger,
      clock: () => BigInt(Date.now()) * 1_000_000n,
    });
  } catch (error) {
    if (origins.has(ownPorts.node.setting) || !isKagamiError(error, 'PORT_UNAVAILABLE')) throw error;
    const { message, details } = error;
    logger.warn({ ...details, reason: message }, 'the simulated network takes no transactions');
    return undefined;
  }
};

export const developmentNetwork = (port: number): DevelopmentNetwork => {
  const { operator, accounts } = developmentAccounts;
  return { address: `127.0.0.1:${port}`, account: '0.0.3', operator, accounts };
};
