import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Extra, FeeSchedule as FeeScheduleMessage } from '../../protobuf/generated/fees/fee_schedule.ts';
import { HederaFunctionality } from '../../protobuf/generated/services/basic_types.ts';
import { decodeFeeSchedule } from './current-schedule.ts';
import { defaultSchedule } from './default-schedule.ts';
import { feeScheduleOf } from './fee-schedule.ts';

type Parts = NonNullable<Parameters<typeof FeeScheduleMessage.fromPartial>[0]>;

const transfer = {
  name: HederaFunctionality.CryptoTransfer,
  baseFee: 5n,
  extras: [{ name: Extra.ACCOUNTS, includedCount: 2 }],
};
const valid: Parts = {
  node: { baseFee: 10n, extras: [{ name: Extra.SIGNATURES, includedCount: 1 }] },
  network: { multiplier: 2 },
  extras: [
    { name: Extra.SIGNATURES, fee: 7n },
    { name: Extra.ACCOUNTS, fee: 11n },
  ],
  services: [{ name: 'Crypto', schedule: [transfer] }],
};
const scheduleWith = (parts: Parts) => feeScheduleOf(FeeScheduleMessage.fromPartial({ ...valid, ...parts }));
const bytesOf = (parts: Parts) => FeeScheduleMessage.encode(FeeScheduleMessage.fromPartial(parts)).finish();

const shipped = join(import.meta.dirname, '../../../../shared/reference/simple-fee-schedule.pb.hex');

describe('a fee schedule', () => {
  it('has prices by extra and by transaction', () => {
    const schedule = scheduleWith({});
    expect(schedule.node).toEqual({ base: 10n, extras: [{ name: 'SIGNATURES', included: 1n }] });
    expect(schedule.networkMultiplier).toBe(2);
    expect([...schedule.extraFees]).toEqual([
      ['SIGNATURES', 7n],
      ['ACCOUNTS', 11n],
    ]);
    expect([...schedule.services]).toEqual([
      [
        HederaFunctionality.CryptoTransfer,
        {
          base: 5n,
          extras: [{ name: 'ACCOUNTS', included: 2n }],
          nodeAndNetworkExempt: false,
          highVolumeRates: undefined,
        },
      ],
    ]);
  });

  it('has its curves in the order of utilization', () => {
    const points = [
      { utilizationBasisPoints: 9, multiplier: 3000 },
      { utilizationBasisPoints: 2, multiplier: 2000 },
    ];
    const highVolumeRates = {
      maxMultiplier: 4000,
      pricingCurve: { curve: { $case: 'piecewiseLinear' as const, piecewiseLinear: { points } } },
    };
    const { services } = scheduleWith({ services: [{ name: 'Crypto', schedule: [{ ...transfer, highVolumeRates }] }] });
    expect(services.get(HederaFunctionality.CryptoTransfer)?.highVolumeRates).toEqual({
      maxMultiplier: 4000n,
      points: [
        { utilization: 2n, multiplier: 2000n },
        { utilization: 9n, multiplier: 3000n },
      ],
    });
  });

  it('may have extras that are younger than this software', () => {
    const { extraFees } = feeScheduleOf(
      FeeScheduleMessage.decode(
        bytesOf({ ...valid, extras: [...(valid.extras ?? []), { name: 99 as never, fee: 1n }] }),
      ),
    );
    expect(extraFees.get('EXTRA_99')).toBe(1n);
  });

  it.each<[string, Parts]>([
    ['node or network is missing', { node: undefined as never }],
    ['node or network is missing', { network: undefined as never }],
    ['the multiplier of the network is below 1', { network: { multiplier: 0 } }],
    ['it has no services', { services: [] }],
    ['a service has no name of its own', { services: [{ name: '', schedule: [] }] }],
    [
      'a service has no name of its own',
      {
        services: [
          { name: 'A', schedule: [] },
          { name: 'A', schedule: [] },
        ],
      },
    ],
    ['A names a transaction twice', { services: [{ name: 'A', schedule: [transfer, transfer] }] }],
    ['SIGNATURES has two fees', { extras: [...(valid.extras ?? []), { name: Extra.SIGNATURES, fee: 1n }] }],
    ['SIGNATURES costs nothing', { extras: [{ name: Extra.SIGNATURES, fee: 0n }] }],
    [
      'the node names KEYS, which has no fee',
      { node: { baseFee: 1n, extras: [{ name: Extra.KEYS, includedCount: 0 }] } },
    ],
    [
      'transaction 1 names an extra twice',
      {
        services: [
          { name: 'A', schedule: [{ ...transfer, extras: [{ name: Extra.ACCOUNTS }, { name: Extra.ACCOUNTS }] }] },
        ],
      },
    ],
    ['the fee of the node is beyond 64 bits', { node: { baseFee: 1n << 63n } }],
  ])('is invalid when %s', (rule, parts) => {
    expect(() => scheduleWith(parts)).toThrow(
      expect.objectContaining({ code: 'FEE_SCHEDULE_INVALID', message: `The fee schedule is invalid: ${rule}` }),
    );
  });

  it('is not read from bytes that end early or go on', () => {
    const bytes = bytesOf(valid);
    expect(decodeFeeSchedule(bytes).networkMultiplier).toBe(2);
    expect(() => decodeFeeSchedule(bytes.subarray(0, bytes.length - 1))).toThrow();
    expect(() => decodeFeeSchedule(Buffer.concat([bytes, Buffer.of(0)]))).toThrow('field number 0');
    expect(() => decodeFeeSchedule(new Uint8Array(0))).toThrow('node or network is missing');
  });
});

describe('the default schedule', () => {
  it('prices a transfer', () => {
    expect(defaultSchedule.node).toEqual({
      base: 100_000n,
      extras: [
        { name: 'PROCESSING_BYTES', included: 1350n },
        { name: 'SIGNATURES', included: 1n },
      ],
    });
    expect(defaultSchedule.networkMultiplier).toBe(9);
    expect(defaultSchedule.extraFees.get('KEYS')).toBe(100_000_000n);
    expect(defaultSchedule.services.get(HederaFunctionality.ContractCall)?.nodeAndNetworkExempt).toBe(true);
  });

  it.skipIf(!existsSync(shipped))('is the one that the network ships', () => {
    expect(defaultSchedule).toEqual(decodeFeeSchedule(Buffer.from(readFileSync(shipped, 'utf8').trim(), 'hex')));
  });
});
