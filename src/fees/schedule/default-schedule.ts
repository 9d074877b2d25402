/** The schedule that counts until the network has stored one of its own (file 113): the one its software came with. */
import {
  Extra,
  type ExtraFeeReference,
  FeeSchedule as FeeScheduleMessage,
} from '../../protobuf/generated/fees/fee_schedule.ts';
import { HederaFunctionality } from '../../protobuf/generated/services/basic_types.ts';
import written from './default-schedule.json' with { type: 'json' };
import { type FeeSchedule, feeScheduleOf } from './fee-schedule.ts';

/** As the JSON file writes it: extras with their included counts, curves as pairs of utilization and multiplier. */
interface WrittenPrice {
  readonly baseFee: number;
  readonly extras?: Readonly<Record<string, number>>;
  readonly free?: boolean;
  readonly nodeNetworkFeeExempt?: boolean;
  readonly highVolumeRates?: { readonly maxMultiplier: number; readonly points: readonly (readonly number[])[] };
}

type WrittenServices = Readonly<Record<string, Readonly<Record<string, WrittenPrice>>>>;

const references = (extras: Readonly<Record<string, number>> = {}): Partial<ExtraFeeReference>[] =>
  Object.entries(extras).map(([name, includedCount]) => ({ name: Extra[name as keyof typeof Extra], includedCount }));

const ratesOf = ({ maxMultiplier, points }: NonNullable<WrittenPrice['highVolumeRates']>) => ({
  maxMultiplier,
  pricingCurve: {
    curve: {
      $case: 'piecewiseLinear' as const,
      piecewiseLinear: {
        points: points.map(([utilizationBasisPoints = 0, multiplier = 0]) => ({ utilizationBasisPoints, multiplier })),
      },
    },
  },
});

const definitionOf = ([name, price]: [string, WrittenPrice]) => ({
  name: HederaFunctionality[name as keyof typeof HederaFunctionality],
  baseFee: BigInt(price.baseFee),
  extras: references(price.extras),
  free: price.free ?? false,
  nodeNetworkFeeExempt: price.nodeNetworkFeeExempt ?? false,
  ...(price.highVolumeRates === undefined ? {} : { highVolumeRates: ratesOf(price.highVolumeRates) }),
});

const message = FeeScheduleMessage.fromPartial({
  node: { baseFee: BigInt(written.node.baseFee), extras: references(written.node.extras) },
  network: { multiplier: written.networkMultiplier },
  extras: Object.entries(written.extraFees).map(([name, fee]) => ({
    name: Extra[name as keyof typeof Extra],
    fee: BigInt(fee),
  })),
  services: Object.entries(written.services as WrittenServices).map(([name, prices]) => ({
    name,
    schedule: Object.entries(prices).map(definitionOf),
  })),
});

export const defaultSchedule: FeeSchedule = feeScheduleOf(message);

/** The same as the content of file 113. */
export const defaultScheduleBytes: Uint8Array = FeeScheduleMessage.encode(message).finish();
