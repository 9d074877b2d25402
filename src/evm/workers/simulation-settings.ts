/** What simulations take from the settings, checked once, as plain data that can change threads. */
import { CHAIN_ID_SETTING, type Chain, chains } from '../../config/chain.ts';
import type { Web3Settings } from '../../config/settings/web3.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { EvmVersion, MostData } from '../engine/run.ts';
import { mainnetVersions, type VersionTable, versionRules } from '../engine/versions.ts';
import type { NetworkContext } from '../system-contracts/system-contract.ts';
import { type ConsensusProperties, consensusPropertiesOf } from './consensus-properties.ts';

export interface SimulationSettings {
  readonly shard: bigint;
  readonly realm: bigint;
  readonly network: NetworkContext;
  /** For the newest block asked for as such. */
  readonly latestVersion: EvmVersion;
  readonly versions: VersionTable;
  /** Tinybars. */
  readonly minimumAccountBalance: bigint;
  readonly validatePayerBalance: boolean;
  readonly estimate: EstimateSettings;
  /** How far the numbers of entities that a run creates are ahead of the newest one. */
  readonly entityNumBuffer: bigint;
  /** Most of its limit, in percent, that a call gets back. */
  readonly maxGasRefundPercentage: bigint;
  /** More gives MAX_GAS_LIMIT_EXCEEDED; undefined: no other limit than that of requests. */
  readonly maxGas: bigint | undefined;
  /** Bytes. */
  readonly mostData: MostData;
  /** By number of their contract and name, see `isFunctionOff`. */
  readonly functionsOff: ReadonlySet<string>;
}

export interface EstimateSettings {
  /** Share of the gas used: 0.1 is a tenth. */
  readonly threshold: number;
  readonly mostRounds: number;
}

type EvmSettings = Web3Settings['evm'];

const isVersion = (text: string): text is EvmVersion => Object.hasOwn(versionRules, text);

/** `v0.67`, `0.67` and `0.67.0` mean the same. */
const versionOf = (text: string, setting: string): EvmVersion => {
  const version = /^v?(\d+\.\d+)(?:\.0)?$/.exec(text.trim())?.[1] ?? '';
  if (isVersion(version)) return version;
  throw new KagamiError('CONFIG_INVALID', `${setting}: there are no EVM rules of version "${text}"`, {
    details: { setting, value: text, versions: Object.keys(versionRules).join(', ') },
  });
};

const writtenVersions = (versions: EvmSettings['evmVersions']): VersionTable => {
  const setting = 'hiero.mirror.web3.evm.evmVersions';
  const table = Object.entries(versions).map(([block, version]) => {
    if (!/^\d{1,19}$/.test(block)) {
      throw new KagamiError('CONFIG_INVALID', `${setting}: "${block}" is no block number`, { details: { setting } });
    }
    return [BigInt(block), versionOf(version, setting)] as const;
  });
  return table.sort(([a], [b]) => (a < b ? -1 : 1));
};

/** Results, calls and verification have one chain id. */
const refuseOtherChain = ({ chainId }: ConsensusProperties, chain: Chain): void => {
  if (chainId === undefined || chainId === chain.chainId) return;
  const setting = 'hiero.mirror.web3.evm.properties.contracts.chainId';
  throw new KagamiError(
    'CONFIG_INVALID',
    `${setting}=${chainId} is not the network's ${chain.chainId}; set ${CHAIN_ID_SETTING}`,
    {
      details: { setting, value: String(chainId) },
    },
  );
};

/** Ids are read with the shard and realm of the whole process. */
const refuseOtherPlace = (
  properties: ConsensusProperties,
  place: { readonly shard: bigint; readonly realm: bigint },
): void => {
  for (const name of ['shard', 'realm'] as const) {
    const value = properties[name];
    if (value === undefined || value === place[name]) continue;
    const setting = `hiero.mirror.web3.evm.properties.hedera.${name}`;
    throw new KagamiError('CONFIG_INVALID', `${setting}=${value} is not hiero.mirror.common.${name}`, {
      details: { setting, value: String(value) },
    });
  }
};

/**
 * @param chain the one that is mirrored; left out: the one that the settings of simulations name
 * @throws KagamiError CONFIG_INVALID for versions that don't exist, and properties that can't be followed
 */
export const simulationSettingsOf = (
  evm: EvmSettings,
  { shard, realm }: { readonly shard: bigint; readonly realm: bigint },
  chain?: Chain,
): SimulationSettings => {
  const properties = consensusPropertiesOf(evm.properties);
  refuseOtherPlace(properties, { shard, realm });
  if (chain !== undefined) refuseOtherChain(properties, chain);
  const latestVersion =
    properties.evmVersion === undefined
      ? versionOf(evm.evmVersion, 'hiero.mirror.web3.evm.evmVersion')
      : versionOf(properties.evmVersion, 'hiero.mirror.web3.evm.properties.contracts.evm.version');
  const written = writtenVersions(evm.evmVersions);
  const known: VersionTable = evm.network === 'MAINNET' ? mainnetVersions : [[0n, latestVersion]];
  return {
    shard,
    realm,
    network: {
      chainId: properties.chainId ?? chain?.chainId ?? chains[evm.network].chainId,
      ledgerId: properties.ledgerId ?? chain?.ledgerId ?? chains[evm.network].ledgerId,
    },
    latestVersion,
    versions: written.length > 0 ? written : known,
    minimumAccountBalance: evm.minimumAccountBalance,
    validatePayerBalance: evm.validatePayerBalance,
    estimate: {
      threshold: evm.estimateGasIterationThresholdPercent,
      mostRounds: evm.maxGasEstimateRetriesCount,
    },
    entityNumBuffer: BigInt(evm.entityNumBuffer),
    maxGasRefundPercentage: BigInt(properties.maxGasRefundPercentage ?? evm.maxGasRefundPercentage),
    maxGas: properties.maxGas,
    mostData: { call: properties.mostCallData, creation: properties.mostInitCode },
    functionsOff: properties.functionsOff,
  };
};
