/** What simulations take from the settings, checked once, as plain data that can change threads. */
import { type Chain, chains } from '../../config/chain.ts';
import type { Web3Settings } from '../../config/settings/web3.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { EvmVersion } from '../engine/run.ts';
import { mainnetVersions, type VersionTable, versionRules } from '../engine/versions.ts';
import type { NetworkContext } from '../system-contracts/system-contract.ts';

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

/** @throws KagamiError CONFIG_INVALID for versions that don't exist */
export const simulationSettingsOf = (
  evm: EvmSettings,
  { shard, realm }: { readonly shard: bigint; readonly realm: bigint },
  { chainId, ledgerId }: Chain = chains[evm.network],
): SimulationSettings => {
  const latestVersion = versionOf(evm.evmVersion, 'hiero.mirror.web3.evm.evmVersion');
  const written = writtenVersions(evm.evmVersions);
  const known: VersionTable = evm.network === 'MAINNET' ? mainnetVersions : [[0n, latestVersion]];
  return {
    shard,
    realm,
    network: { chainId, ledgerId },
    latestVersion,
    versions: written.length > 0 ? written : known,
    minimumAccountBalance: evm.minimumAccountBalance,
    validatePayerBalance: evm.validatePayerBalance,
    estimate: {
      threshold: evm.estimateGasIterationThresholdPercent,
      mostRounds: evm.maxGasEstimateRetriesCount,
    },
  };
};
