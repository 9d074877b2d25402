import { describe, expect, it } from 'vitest';
import { createExchangeRateContract } from './exchange-rate.ts';
import { createPseudorandomContract } from './pseudorandom.ts';
import { inputOf, longZero, outputHex, recordedRun, systemCall } from './testing/system-call.fixture.ts';

const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;

describe('exchange rate contract', () => {
  const contract = createExchangeRateContract();
  const run = recordedRun({}, { exchangeRate: { hbarEquiv: 30_000n, centEquiv: 580_001n } });
  const call = (signature: string, amount: bigint, changes = {}) =>
    contract.call(systemCall(inputOf(signature, amount), { recipient: longZero(0x168n), ...changes }), run);

  it('converts both ways, rounding down', async () => {
    const tinybars = await call('tinycentsToTinybars(uint256)', 100_000_000n);
    expect(tinybars).toMatchObject({ outcome: 'success', gasUsed: 100n });
    expect(outputHex(tinybars)).toBe(word(5_172_404n));
    expect(outputHex(await call('tinybarsToTinycents(uint256)', 100_000_000n))).toBe(word(1_933_336_666n));
    expect(run.records).toEqual([]);
  });

  it('works in static frames', async () => {
    const result = await call('tinybarsToTinycents(uint256)', 3n, { isStatic: true, gas: 100n });
    expect(outputHex(result)).toBe(word(58n));
  });

  it('halts for whatever it cannot answer', async () => {
    const halted = { outcome: 'halt', reason: 'INVALID_OPERATION' };
    const raw = (hex: string) => contract.call(systemCall(new Uint8Array(Buffer.from(hex, 'hex'))), run);
    expect(await raw('2e3c')).toEqual(halted);
    expect(await raw('2e3cff6a')).toEqual(halted);
    expect(await raw('2e3cff6b')).toEqual(halted);
    expect(await call('tinybarsToTinycents(uint256)', (1n << 256n) - 1n)).toEqual(halted);
    expect(await call('tinybarsToTinycents(uint256)', 1n, { gas: 99n })).toEqual({
      outcome: 'halt',
      reason: 'INSUFFICIENT_GAS',
    });
  });
});

describe('pseudorandom number contract', () => {
  const contract = createPseudorandomContract();
  const seed = systemCall(inputOf('getPseudorandomSeed()'), { recipient: longZero(0x169n) });

  it('gives the start of the block hash and leaves a record', async () => {
    const run = recordedRun();
    const result = await contract.call(seed, run);
    expect(result).toMatchObject({ outcome: 'success', gasUsed: 15_284n });
    expect(outputHex(result)).toBe(
      `0x${Array.from({ length: 32 }, (_, i) => (i + 1).toString(16).padStart(2, '0')).join('')}`,
    );
    expect(run.records).toEqual([{ status: 22 }]);
  });

  it('is a view without a record in a static frame', async () => {
    const run = recordedRun();
    expect(await contract.call({ ...seed, isStatic: true }, run)).toMatchObject({
      outcome: 'success',
      gasUsed: 2_607n,
    });
    expect(run.records).toEqual([]);
  });

  it('halts without entropy and for other selectors', async () => {
    const halted = { outcome: 'halt', reason: 'INVALID_OPERATION' };
    const run = recordedRun({}, { block: { number: 1n, timestamp: 1n, hash: new Uint8Array(0) } });
    expect(await contract.call(seed, run)).toEqual(halted);
    expect(await contract.call({ ...seed, input: Buffer.from('8f4e6d5f', 'hex') }, recordedRun())).toEqual(halted);
  });
});
