import { describe, expect, it } from 'vitest';
import { entityRecord } from '../state/testing/memory-reader.fixture.ts';
import type { EvmVersion } from './run.ts';
import {
  assemble,
  initCodeOf,
  ledgerOf,
  outputWord,
  returning,
  run,
  SENDER_ID,
  worldOf,
} from './testing/engine.fixture.ts';
import { mainnetVersions, versionAt } from './versions.ts';

const runCode = (code: Uint8Array, version: EvmVersion) => run(ledgerOf(code), { environment: { version } });

describe('versions', () => {
  it.each([
    [0n, '0.30'],
    [44_029_065n, '0.30'],
    [44_029_066n, '0.34'],
    [60_258_041n, '0.38'],
    [60_258_042n, '0.46'],
    [65_435_845n, '0.50'],
    [87_129_574n, '0.66'],
    [90_000_000n, '0.67'],
  ])('of block %s is %s', (block, version) => {
    expect(versionAt(mainnetVersions, block)).toBe(version);
  });

  it.each([
    ['0.34', 'PUSH0', '0.38'],
    ['0.46', '0 TLOAD', '0.50'],
    ['0.46', '1 0 TSTORE', '0.50'],
    ['0.46', '0 0 0 MCOPY', '0.50'],
    ['0.46', '0 BLOBHASH', '0.50'],
    ['0.46', 'BLOBBASEFEE', '0.50'],
  ] as const)('up to %s have no %s', async (before, text, since) => {
    expect((await runCode(assemble(text), before)).status).toBe('CONTRACT_EXECUTION_EXCEPTION');
    expect((await runCode(assemble(text), since)).status).toBe('SUCCESS');
  });

  it('before 0.65 create contracts without a charge for their code', async () => {
    const gasOf = async (version: EvmVersion) => {
      const transaction = { to: undefined, data: initCodeOf(returning('1')) };
      return (await run(worldOf({ entities: [entityRecord(SENDER_ID)] }), { transaction, environment: { version } }))
        .gasUsed;
    };
    expect((await gasOf('0.65')) - (await gasOf('0.51'))).toBe(200n * BigInt(returning('1').length));
  });

  it('before 0.45 take nothing for call data', async () => {
    const transaction = { data: Uint8Array.of(1, 0, 0), gas: 30_000n };
    const gasOf = async (version: EvmVersion, more: object = {}) =>
      run(ledgerOf(assemble('STOP')), { transaction: { ...transaction, ...more }, environment: { version } });
    expect((await gasOf('0.38')).gasUsed).toBe(21_000n);
    expect((await gasOf('0.45')).gasUsed).toBe(21_000n + 16n + 2n * 4n);
    expect((await gasOf('0.67')).gasUsed).toBe(21_000n + 16n + 2n * 4n);
    expect((await gasOf('0.38', { gas: 21_000n })).status).toBe('SUCCESS');
    expect((await gasOf('0.45', { gas: 21_000n })).status).toBe('INSUFFICIENT_GAS');
    const creation = { to: undefined, gas: 100_000n, data: assemble('STOP') };
    expect((await gasOf('0.38', creation)).gasUsed).toBe(53_000n);
    expect((await gasOf('0.45', creation)).gasUsed).toBe(53_000n + 4n);
  });

  it('before 0.50 let contracts create others without a charge for the words of init code', async () => {
    const gasOf = async (version: EvmVersion) => (await runCode(assemble('64 0 0 CREATE'), version)).gasUsed;
    expect((await gasOf('0.50')) - (await gasOf('0.46'))).toBe(4n);
  });

  it('before 0.34 read zero as random value', async () => {
    expect(outputWord(await runCode(returning('PRNGSEED'), '0.30'))).toBe(0n);
    expect(outputWord(await runCode(returning('PRNGSEED'), '0.34'))).toBeGreaterThan(0n);
  });
});
