/** The chain that this process mirrors. */
import { CHAIN_ID_SETTING, type Chain, type ChainNetwork, chainIdHex, chainOf, chains } from '../../config/chain.ts';
import type { LoadedSettings } from '../../config/load.ts';
import type { RootSettings } from '../../config/settings/root.ts';
import { consensusPropertiesOf } from '../../evm/workers/consensus-properties.ts';
import { networkName } from '../../importer/networks/network-preset.ts';
import { namedNetwork } from './source-choice.ts';

const publicNetworks: Readonly<Record<string, ChainNetwork>> = {
  mainnet: 'MAINNET',
  previewnet: 'PREVIEWNET',
  testnet: 'TESTNET',
};

const NETWORK_SETTING = 'hiero.mirror.web3.evm.network';

export interface MirroredChain extends Chain {
  readonly network: ChainNetwork;
  /** What an operator should know: settings that contradict each other. */
  readonly warnings: readonly string[];
}

type ChainSettings = Pick<LoadedSettings<RootSettings>, 'settings' | 'origins'>;

const networkOf = (loaded: ChainSettings): ChainNetwork => {
  const { settings, origins } = loaded;
  if (origins.has(NETWORK_SETTING)) return settings.hiero.mirror.web3.evm.network;
  // A simulated network is none of the public ones, whatever is named beside it.
  if (settings.kagami.source.kind === 'simulator') return 'OTHER';
  return publicNetworks[networkName(namedNetwork(loaded) ?? '')] ?? 'OTHER';
};

/** The chain of a network that is simulated, whatever is imported otherwise. @throws KagamiError CONFIG_INVALID */
export const simulatedChain = ({ settings, origins }: ChainSettings): Chain => {
  const { rest, web3 } = settings.hiero.mirror;
  return chainOf(origins.has(NETWORK_SETTING) ? web3.evm.network : 'OTHER', rest);
};

/**
 * The network that `web3.evm.network` names, else the one that is imported, with the chain id of `rest.chainId`, or else
 * of the property `contracts.chainId` of `web3.evm.properties`, if one of them is set.
 * @throws KagamiError CONFIG_INVALID when the configured chain id is none
 */
export const mirroredChain = (loaded: ChainSettings): MirroredChain => {
  const network = networkOf(loaded);
  const { rest, web3 } = loaded.settings.hiero.mirror;
  const asked = rest.chainId === '' ? consensusPropertiesOf(web3.evm.properties).chainId : undefined;
  const chain = chainOf(network, asked === undefined ? rest : { chainId: asked.toString() });
  const usual = chains[network];
  const contradicts = chain.chainId !== usual.chainId && network !== 'OTHER';
  const warning =
    `${asked === undefined ? CHAIN_ID_SETTING : 'hiero.mirror.web3.evm.properties.contracts.chainId'} says ${chainIdHex(chain)}, but the chain id of ${network} is ${chainIdHex(usual)}; ` +
    'the former is shown, and contracts see it';
  return { ...chain, network, warnings: contradicts ? [warning] : [] };
};
