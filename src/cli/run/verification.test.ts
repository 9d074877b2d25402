import { expect, it } from 'vitest';
import { loadSettings } from '../../config/load.ts';
import { mirroredChain } from './mirrored-chain.ts';
import { chainName } from './verification.ts';

it.each([
  [{}, 'Simulated network'],
  [{ 'kagami.source.kind': 'simulator', 'hiero.mirror.importer.network': 'mainnet' }, 'Simulated network'],
  [{ 'kagami.source.folder': '/streams' }, 'Hiero network'],
  [{ 'hiero.mirror.importer.network': 'mainnet' }, 'Hedera Mainnet'],
  [{ 'hiero.mirror.importer.network': 'testnet-2' }, 'Hedera Testnet'],
  [{ 'hiero.mirror.importer.network': 'previewnet' }, 'Hedera Previewnet'],
])('a chain has the name that people know: %j', (given, name) => {
  const overrides = Object.entries(given).map(([path, value]) => ({ path, value, origin: '--set' }));
  const loaded = loadSettings({ cwd: '/', env: {}, overrides, readFile: () => undefined });
  expect(chainName(loaded, mirroredChain(loaded).network)).toBe(name);
});
