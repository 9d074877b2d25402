import { describe, expect, it } from 'vitest';
import { chainIdHex, chainOf } from './chain.ts';

describe('the chain of a network', () => {
  it.each([
    ['MAINNET', 295n, '0x00', '0x127'],
    ['TESTNET', 296n, '0x01', '0x128'],
    ['PREVIEWNET', 297n, '0x02', '0x129'],
    ['OTHER', 298n, '0x03', '0x12a'],
  ] as const)('is known for %s', (network, chainId, ledgerId, hex) => {
    const chain = chainOf(network, { chainId: '' });
    expect(chain).toEqual({ chainId, ledgerId });
    expect(chainIdHex(chain)).toBe(hex);
  });

  it.each([
    ['0x12b', 299n],
    ['0X12B', 299n],
    ['299', 299n],
    [' 1 ', 1n],
    ['0xffffffffffffffff', 18_446_744_073_709_551_615n],
  ])('has the chain id that is configured: %s', (text, chainId) => {
    expect(chainOf('OTHER', { chainId: text })).toEqual({ chainId, ledgerId: '0x03' });
  });

  it.each(['0', '0x0', '0x', 'mainnet', '-1', '1.5', '18446744073709551616', '0x10000000000000000'])(
    'refuses %s as a chain id',
    (text) => {
      expect(() => chainOf('OTHER', { chainId: text })).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    },
  );
});
