import { describe, expect, it } from 'vitest';
import { mainnetVersions } from '../engine/versions.ts';
import { simulationSettingsOf } from './simulation-settings.ts';
import { web3SettingsWith } from './testing/web3-settings.fixture.ts';

const place = { shard: 1n, realm: 2n };
const settingsOf = (evm: Parameters<typeof web3SettingsWith>[0] = {}) =>
  simulationSettingsOf(web3SettingsWith(evm).evm, place);

describe('settings of simulations', () => {
  it('have defaults', () => {
    expect(settingsOf()).toEqual({
      shard: 1n,
      realm: 2n,
      network: { chainId: 296n, ledgerId: '0x01' },
      latestVersion: '0.67',
      versions: [[0n, '0.67']],
      minimumAccountBalance: 100_000_000_000_000_000n,
      validatePayerBalance: true,
      estimate: { threshold: 0.1, mostRounds: 20 },
      entityNumBuffer: 1_000n,
      maxGasRefundPercentage: 100n,
      maxGas: undefined,
      mostData: { call: 131_072, creation: 131_072 },
      functionsOff: new Set(),
    });
  });

  it.each([
    ['MAINNET', 295n, '0x00'],
    ['PREVIEWNET', 297n, '0x02'],
    ['OTHER', 298n, '0x03'],
  ] as const)('know the network %s', (network, chainId, ledgerId) => {
    expect(settingsOf({ evm: { network } }).network).toEqual({ chainId, ledgerId });
  });

  it('have the versions of the network, unless others are written', () => {
    expect(settingsOf({ evm: { network: 'MAINNET' } }).versions).toBe(mainnetVersions);
    const evmVersions = { '100': 'v0.38.0', '5': '0.30', '1000': '0.51' };
    expect(settingsOf({ evm: { network: 'MAINNET', evmVersions } }).versions).toEqual([
      [5n, '0.30'],
      [100n, '0.38'],
      [1000n, '0.51'],
    ]);
    expect(settingsOf({ evm: { evmVersion: '0.46' } })).toMatchObject({
      latestVersion: '0.46',
      versions: [[0n, '0.46']],
    });
  });

  it('refuse another chain id than everything else has', () => {
    const { evm } = web3SettingsWith({ evm: { properties: { 'contracts.chainId': '1234' } } });
    const chain = { chainId: 298n, ledgerId: '0x03' };
    expect(() => simulationSettingsOf(evm, place, chain)).toThrow('hiero.mirror.rest.chainId');
    expect(simulationSettingsOf(evm, place, { ...chain, chainId: 1234n }).network.chainId).toBe(1234n);
  });

  it('follow properties of consensus nodes', () => {
    const properties = {
      'contracts.chainId': '1234',
      'contracts.evm.version': 'v0.51',
      'contracts.maxGasPerSec': '5000000',
      'contracts.maxRefundPercentOfGasLimit': '20',
      'hedera.realm': '2',
      'ledger.id': '0A',
      'jumboTransactions.ethereumMaxCallDataSize': '1000',
      'staking.isEnabled': 'true',
    };
    expect(settingsOf({ evm: { properties } })).toMatchObject({
      network: { chainId: 1234n, ledgerId: '0x0a' },
      latestVersion: '0.51',
      maxGas: 5_000_000n,
      maxGasRefundPercentage: 20n,
      mostData: { call: 1_000, creation: 1_000 },
    });
  });

  it.each([
    [{ evmVersion: 'v0.99' }],
    [{ evmVersion: '' }],
    [{ evmVersion: '0.67.1' }],
    [{ evmVersions: { '1': 'latest' } }],
    [{ evmVersions: { first: '0.30' } }],
    [{ properties: { 'contracts.evm.version': 'v0.99' } }],
    [{ properties: { 'hedera.shard': '7' } }],
    [{ properties: { 'contracts.maxKvPairs.aggregate': '1' } }],
  ])('refuse %j', (evm) => {
    expect(() => settingsOf({ evm })).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});
