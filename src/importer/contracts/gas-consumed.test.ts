import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytes, itemOf } from '../transactions/testing/handled.fixture.ts';
import { gasConsumed, type TracedRun } from './gas-consumed.ts';
import { CALL } from './testing/contract-output.fixture.ts';

const OLD = itemOf({ ...CALL, hapi: '0.68.9' });
const NONE = new Uint8Array(0);
const run = (fields: Partial<TracedRun>): TracedRun => ({
  gasUsed: 1_000n,
  isCreation: false,
  initcode: undefined,
  ...fields,
});

describe('gas consumed', () => {
  it.each(['0.69.0', '0.70.0', '1.0.0'])('is what was charged since HAPI 0.69: %s', (hapi) => {
    expect(gasConsumed(itemOf({ ...CALL, hapi }), 40_000n, run({}), bytes('00aa'))).toBe(40_000n);
  });

  it('is unknown before without a trace', () => {
    expect(gasConsumed(OLD, 40_000n, run({ gasUsed: undefined, isCreation: true }), NONE)).toBeNull();
  });

  it('is the gas of the run and that of the transaction and its data', () => {
    expect(gasConsumed(OLD, 40_000n, run({}), NONE)).toBe(22_000n);
    expect(gasConsumed(OLD, 40_000n, run({}), bytes('0000aa'))).toBe(22_024n);
  });

  it('counts the code of a creation in place of its parameters', () => {
    expect(gasConsumed(OLD, 40_000n, run({ isCreation: true }), bytes('aa'))).toBe(54_016n);
    expect(gasConsumed(OLD, 40_000n, run({ isCreation: true, initcode: bytes('0001') }), bytes('aaaaaa'))).toBe(
      54_020n,
    );
    expect(gasConsumed(OLD, 40_000n, run({ isCreation: true, initcode: NONE }), bytes('aaaaaa'))).toBe(54_000n);
  });

  it('grows by 4 with each zero byte and by 16 with each other', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (data) => {
        const zeros = data.filter((byte) => byte === 0).length;
        const expected = 22_000n + 4n * BigInt(zeros) + 16n * BigInt(data.length - zeros);
        expect(gasConsumed(OLD, 0n, run({}), data)).toBe(expected);
      }),
    );
  });
});
