/** The threads that simulate contract calls, for the database and the network at hand. */
import { openSimulationThreads, type SimulationThreads } from '../../evm/workers/simulation-threads.ts';
import type { ReadySettings } from '../command-context.ts';
import type { DatabaseAccess } from './open-database.ts';
import { namedNetwork } from './source-choice.ts';

type EvmNetwork = ReadySettings['settings']['hiero']['mirror']['web3']['evm']['network'];

const evmNetworks: Readonly<Record<string, EvmNetwork>> = {
  mainnet: 'MAINNET',
  previewnet: 'PREVIEWNET',
  testnet: 'TESTNET',
};

/** Chain ids of the networks. */
export const chainIdOf: Readonly<Record<EvmNetwork, bigint>> = {
  MAINNET: 295n,
  TESTNET: 296n,
  PREVIEWNET: 297n,
  OTHER: 298n,
};

const NETWORK_SETTING = 'hiero.mirror.web3.evm.network';

/** What contracts see as their network: what is set, else the one that is imported; a simulated one is none of the public. */
export const evmNetwork = (ready: ReadySettings): EvmNetwork => {
  const { evm } = ready.settings.hiero.mirror.web3;
  if (ready.origins.has(NETWORK_SETTING)) return evm.network;
  const imported = namedNetwork(ready);
  return (imported === undefined ? undefined : evmNetworks[imported.toLowerCase()]) ?? 'OTHER';
};

export const openThreads = (ready: ReadySettings, { addresses }: DatabaseAccess): SimulationThreads => {
  const { common, web3 } = ready.settings.hiero.mirror;
  return openSimulationThreads({
    settings: { ...web3, evm: { ...web3.evm, network: evmNetwork(ready) } },
    common,
    connectionString: addresses.reader,
    schema: addresses.schema,
    onThreadLost: () =>
      ready.logger.warn({}, 'a thread that simulates contract calls was lost; another takes its place'),
  });
};
