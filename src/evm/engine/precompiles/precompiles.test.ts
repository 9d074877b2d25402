import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { entityRecord } from '../../state/testing/memory-reader.fixture.ts';
import { longZeroHex } from '../../state/world.ts';
import { run, SENDER_ID, worldOf } from '../testing/engine.fixture.ts';
import { bytesToHex, hexToBytes } from '../words.ts';

const ask = async (num: bigint, input: string, version: '0.46' | '0.67' = '0.67') => {
  const outcome = await run(worldOf({ entities: [entityRecord(SENDER_ID)] }), {
    transaction: { to: longZeroHex(num), data: hexToBytes(input) },
    environment: { version },
  });
  const dataGas = hexToBytes(input).reduce((gas, byte) => gas + (byte === 0 ? 4n : 16n), 0n);
  return { status: outcome.status, output: bytesToHex(outcome.output), gas: outcome.gasUsed - 21_000n - dataGas };
};

describe('precompiles', () => {
  it('recover a signer', async () => {
    const input =
      '456e9aea5e197a1f1af7a3e85a3212fa4049a3ba34c2289b4c860fc0b0c64ef3' +
      '000000000000000000000000000000000000000000000000000000000000001c' +
      '9242685bf161793cc25603c231bc2f568eb630ea16aa137d2664ac8038825608' +
      '4f8ae3bd7535248d0bd448298cc2e2071e56992d0774dc340c368ae950852ada';
    expect(await ask(1n, input)).toEqual({
      status: 'SUCCESS',
      output: '7156526fbd7a3c72969b54f64e42c10fbb768c8a'.padStart(64, '0'),
      gas: 3_000n,
    });
  });

  it('hash with SHA-256', async () => {
    expect(await ask(2n, 'ff')).toEqual({
      status: 'SUCCESS',
      output: 'a8100ae6aa1940d0b663bb31cd466142ebbdbd5187131b92d93818987832eb89',
      gas: 72n,
    });
  });

  it('add and multiply on bn254', async () => {
    const generator = '1'.padStart(64, '0') + '2'.padStart(64, '0');
    const doubled =
      '030644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd3' +
      '15ed738c0e0a7c92e7845f96b2ae9c0a68a6a449e3538fc7ff3ebf7a5a18a2c4';
    expect(await ask(6n, generator + generator)).toEqual({ status: 'SUCCESS', output: doubled, gas: 150n });
    expect(await ask(7n, generator + '2'.padStart(64, '0'))).toEqual({
      status: 'SUCCESS',
      output: doubled,
      gas: 6_000n,
    });
    expect(await ask(8n, '')).toEqual({ status: 'SUCCESS', output: '1'.padStart(64, '0'), gas: 45_000n });
  });

  it('fail on points that are none', async () => {
    expect(await ask(6n, 'ff'.repeat(64))).toMatchObject({ status: 'CONTRACT_EXECUTION_EXCEPTION', output: '' });
  });

  it('fail without the gas they cost', async () => {
    const outcome = await run(worldOf({ entities: [entityRecord(SENDER_ID)] }), {
      transaction: { to: longZeroHex(8n), gas: 65_999n },
    });
    expect(outcome).toMatchObject({ status: 'INSUFFICIENT_GAS', gasUsed: 65_999n });
  });

  it('check a point of a blob since 0.50', async () => {
    // The commitment to the zero polynomial opens to zero everywhere, with a proof of infinity.
    const infinity = `c0${'00'.repeat(47)}`;
    const versionedHash = '010657f37554c781402a22917dee2f75def7ab966d7b770905398eba3c444014';
    const input = versionedHash + '02'.padStart(64, '0') + '00'.repeat(32) + infinity + infinity;
    expect(await ask(10n, input)).toEqual({
      status: 'SUCCESS',
      output:
        '0000000000000000000000000000000000000000000000000000000000001000' +
        '73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001',
      gas: 50_000n,
    });
    const wrong = versionedHash + '02'.padStart(64, '0') + '01'.padStart(64, '0') + infinity + infinity;
    expect((await ask(10n, wrong)).status).toBe('CONTRACT_EXECUTION_EXCEPTION');
    const noPoint = 'ff'.repeat(48);
    const itsHash = `01${createHash('sha256').update(hexToBytes(noPoint)).digest('hex').slice(2)}`;
    const invalid = itsHash + '02'.padStart(64, '0') + '00'.repeat(32) + noPoint + infinity;
    expect((await ask(10n, invalid)).status).toBe('CONTRACT_EXECUTION_EXCEPTION');
    // An ordinary system account before: it burns the gas.
    expect(await ask(10n, input, '0.46')).toMatchObject({ status: 'SUCCESS', output: '' });
  });

  it('end at the deadline, and let others run before', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const everyRound = `ffffffff${'00'.repeat(208)}01`;
    const running = run(worldOf({ entities: [entityRecord(SENDER_ID)] }), {
      transaction: { to: longZeroHex(9n), data: hexToBytes(everyRound), gas: 5_000_000_000n },
      environment: { deadlineMs: performance.now() + 200 },
    });
    await expect(running).rejects.toMatchObject({ code: 'SIMULATION_TIMEOUT' });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });

  it('do not disturb each other while one lets the others run', async () => {
    const input = (rounds: number) => hexToBytes(`${rounds.toString(16).padStart(8, '0') + '01'.repeat(208)}01`);
    const compress = async (rounds: number): Promise<string> => {
      const outcome = await run(worldOf({ entities: [entityRecord(SENDER_ID)] }), {
        transaction: { to: longZeroHex(9n), data: input(rounds), gas: 15_000_000n },
      });
      return bytesToHex(outcome.output);
    };
    const [long, short] = [await compress(3_000_000), await compress(7)];
    expect(await Promise.all([compress(3_000_000), compress(7), compress(3_000_000)])).toEqual([long, short, long]);
  });
});
