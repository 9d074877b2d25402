import { expect, it } from 'vitest';
import { toHex } from '../../ledger/bytes.ts';
import { topicRunningHash } from './topic-running-hash.ts';

it('gives the running hash that mainnet gave topic 0.0.8994160 after message 17584325', () => {
  const hash = topicRunningHash({
    previous: Buffer.from(
      'ae375e0d63cae7c73a643c4f8aa4f18020a85b4934101652eadb141d954cf96f11ce68815f8b6caeb61ef24a04ad431a',
      'hex',
    ),
    payer: 1_682_785n,
    topic: 8_994_160n,
    consensusTimestamp: 1_753_303_063_721_548_000n,
    sequence: 17_584_325n,
    messageHash: Buffer.from(
      '457cf4b0b3880344c5a697acbfff2bba634e6b8f7e3a32ff5296584fa515c975956d654c5e43e3ef50b351ec37a967d8',
      'hex',
    ),
  });
  expect(toHex(hash)).toBe(
    '2d252870b626481e8f48e84e05dbd5f61261f0a3cb69ebae36c97a9fee2ae60d0d87e8f86d1efe15c98bcefce0fbb434',
  );
});
