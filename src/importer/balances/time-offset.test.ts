import { describe, expect, it } from 'vitest';
import { hasRealStreams, readReal } from '../../streams/testing/real-streams.fixture.ts';
import { timeOffsets } from './time-offset.ts';

describe('time offsets of balance files', () => {
  const mainnet = timeOffsets('mainnet');

  it.each([
    [1_568_415_600_193_620_000n, -1],
    [1_568_415_600_193_620_001n, 0],
    [1_599_580_800_153_882_000n, -1],
    [1_658_420_100_626_003_999n, 0],
    [1_658_420_100_626_004_000n, 53],
    [1_666_368_000_880_378_770n, 53],
    [1_666_368_000_880_378_771n, 0],
  ])('of the file of %s is %i on mainnet', (timestamp, offset) => {
    expect(mainnet(timestamp)).toBe(offset);
    expect(timeOffsets('MAINNET-primary')(timestamp)).toBe(offset);
    expect(timeOffsets('testnet')(timestamp)).toBe(0);
  });

  it.skipIf(!hasRealStreams)('of every listed file is -1', () => {
    const listed = Buffer.from(readReal('errata/mainnet/balance-offsets.txt')).toString().trim().split('\n');
    expect(listed).toHaveLength(6_949);
    expect(listed.filter((timestamp) => mainnet(BigInt(timestamp)) !== -1)).toEqual([]);
  });
});
