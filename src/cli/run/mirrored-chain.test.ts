import { describe, expect, it } from 'vitest';
import { loadSettings } from '../../config/load.ts';
import { mirroredChain } from './mirrored-chain.ts';

const imported = 'hiero.mirror.importer.network';
const evm = 'hiero.mirror.web3.evm.network';
const chainId = 'hiero.mirror.rest.chainId';

const chainOf = (given: Readonly<Record<string, string>>) => {
  const overrides = Object.entries(given).map(([path, value]) => ({ path, value, origin: '--set' }));
  return mirroredChain(loadSettings({ cwd: '/srv', env: {}, overrides, readFile: () => undefined }));
};

describe('the mirrored chain', () => {
  it.each([
    [{}, 'OTHER', 298n],
    [{ [imported]: 'other' }, 'OTHER', 298n],
    [{ [imported]: 'demo' }, 'OTHER', 298n],
    [{ [imported]: 'mainnet' }, 'MAINNET', 295n],
    [{ [imported]: 'MainNet' }, 'MAINNET', 295n],
    [{ [imported]: 'testnet-2' }, 'TESTNET', 296n],
    [{ [imported]: 'previewnet' }, 'PREVIEWNET', 297n],
    [{ [imported]: 'mainnet', 'kagami.source.kind': 'simulator' }, 'OTHER', 298n],
    [{ [imported]: 'mainnet', [evm]: 'OTHER' }, 'OTHER', 298n],
    [{ [evm]: 'TESTNET' }, 'TESTNET', 296n],
    [{ [chainId]: '0x539' }, 'OTHER', 1337n],
    [{ [chainId]: '295', [imported]: 'mainnet' }, 'MAINNET', 295n],
  ] as const)('follows from %j', (given, network, id) => {
    expect(chainOf(given)).toMatchObject({ network, chainId: id, warnings: [] });
  });

  it('has the chain id that is set before any other, and says so', () => {
    const { warnings, ...chain } = chainOf({ [chainId]: '0x128', [imported]: 'mainnet' });
    expect(chain).toEqual({ network: 'MAINNET', chainId: 296n, ledgerId: '0x00' });
    expect(warnings).toEqual([
      'hiero.mirror.rest.chainId says 0x128, but the chain id of MAINNET is 0x127; the former is shown, and contracts see it',
    ]);
  });

  it('refuses a chain id that is none', () => {
    expect(() => chainOf({ [chainId]: 'mainnet' })).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});
