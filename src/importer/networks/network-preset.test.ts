import { describe, expect, it } from 'vitest';
import { hasRealStreams, readReal } from '../../streams/testing/real-streams.fixture.ts';
import { bootstrapAddressBook, type NetworkPreset, networkName, networkPreset } from './network-preset.ts';

const presetOf = (name: string): NetworkPreset => {
  const preset = networkPreset(name);
  if (preset === undefined) throw new Error(`no preset of ${name}`);
  return preset;
};

describe('presets of public networks', () => {
  it.each([
    ['demo', [4], true, 'hedera-demo-streams'],
    ['mainnet', [13, 32], false, 'hedera-mainnet-streams'],
    ['testnet', [7, 7], false, 'hedera-testnet-streams-2024-02'],
    ['previewnet', [7], false, 'hedera-preview-testnet-streams'],
  ])('%s has address books of %j nodes, each with a key', (network, counts, anonymous, recordBucket) => {
    const preset = presetOf(network);
    expect(preset).toMatchObject({ network, anonymous, recordBucket });
    expect(preset.addressBooks.map(({ book }) => book.entries.length)).toEqual(counts);
    for (const { book } of preset.addressBooks) {
      expect(book.entries.filter(({ publicKey }) => publicKey?.asymmetricKeyDetails?.modulusLength !== 3072)).toEqual(
        [],
      );
      expect(book.byAccountId.size).toBe(book.entries.length);
    }
  });

  it('tells nodes, accounts and endpoints apart', () => {
    const [first, second] = presetOf('mainnet').addressBooks;
    expect(first?.book.byNodeId.get(4n)).toMatchObject({ accountId: 7n, memo: '0.0.7', endpoints: [] });
    expect(second?.validFrom).toBe(1_769_623_200_803_405_897n);
    expect(second?.book.byNodeId.get(0n)).toMatchObject({
      accountId: 3n,
      description: 'Hosted by LG | Singapore',
      stake: 16n,
    });
    expect(second?.book.byNodeId.get(0n)?.endpoints[0]).toEqual({
      ipAddressV4: '43.202.249.148',
      port: 50_211,
      domainName: '',
    });
  });

  it('knows the first block of mainnet', () => {
    expect(presetOf('mainnet').firstBlock).toBe(1_568_411_631_396_440_000n);
    expect(presetOf('testnet').firstBlock).toBeNull();
  });

  it('chooses the book that is in force', () => {
    const preset = presetOf('mainnet');
    const nodesAt = (at: bigint): number => bootstrapAddressBook(preset, at).entries.length;
    expect(nodesAt(-1n)).toBe(13);
    expect(nodesAt(1_769_623_200_803_405_896n)).toBe(13);
    expect(nodesAt(1_769_623_200_803_405_897n)).toBe(32);
  });

  it('goes by the name before the hyphen, in any case', () => {
    expect(networkName(' Mainnet-eu ')).toBe('mainnet');
    expect(networkPreset('TESTNET-2')?.network).toBe('testnet');
    expect(networkPreset('other')).toBeUndefined();
    expect(networkPreset('')).toBeUndefined();
  });

  it.skipIf(!hasRealStreams).each([
    ['demo', 0, 'demo'],
    ['mainnet', 0, 'mainnet'],
    ['mainnet', 1, 'mainnet-1769623200803405897'],
    ['testnet', 0, 'testnet'],
    ['testnet', 1, 'testnet-1767117600294393897'],
    ['previewnet', 0, 'previewnet'],
  ])('%s, book %i is that of the network byte for byte', (network, index, file) => {
    const { book } = presetOf(network).addressBooks[index] ?? {};
    expect(Buffer.from(book?.bytes ?? [])).toEqual(Buffer.from(readReal(`addressbooks/networks/${file}`)));
  });
});
