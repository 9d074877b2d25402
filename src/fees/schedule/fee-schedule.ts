/**
 * The simple fee schedule ([HIP-1261](https://hips.hedera.com/hip/hip-1261)) in the form that estimates read: prices in
 * tinycents, what a price includes, and the curves of high-volume pricing
 * ([HIP-1313](https://hips.hedera.com/hip/hip-1313)). Made from the network's message, whose rules are checked here
 * once.
 */
import { KagamiError } from '../../errors/kagami-error.ts';
import {
  Extra,
  type ExtraFeeReference,
  type FeeSchedule as FeeScheduleMessage,
  type ServiceFeeDefinition,
  type VariableRateDefinition,
} from '../../protobuf/generated/fees/fee_schedule.ts';
import type { HederaFunctionality } from '../../protobuf/generated/services/basic_types.ts';
import { MAX_TINYCENTS } from '../tinycents.ts';

/** What is paid for beside the base of a price: signatures, keys, bytes and so on. */
export type ExtraName = Exclude<keyof typeof Extra, 'UNRECOGNIZED'>;

/** Of an extra, the first `included` units cost nothing. */
export interface IncludedExtra {
  readonly name: string;
  readonly included: bigint;
}

/** One point of a pricing curve: utilization in basis points (0 to 10000), multiplier in thousandths. */
export interface CurvePoint {
  readonly utilization: bigint;
  readonly multiplier: bigint;
}

export interface HighVolumeRates {
  /** In thousandths. */
  readonly maxMultiplier: bigint;
  /** In ascending order of utilization; empty: a straight line from 1 to the maximum. */
  readonly points: readonly CurvePoint[];
}

/** The price of one kind of transaction. */
export interface ServicePrice {
  readonly base: bigint;
  readonly extras: readonly IncludedExtra[];
  /** Neither node nor network are paid. */
  readonly nodeAndNetworkExempt: boolean;
  readonly highVolumeRates: HighVolumeRates | undefined;
}

export interface FeeSchedule {
  readonly node: { readonly base: bigint; readonly extras: readonly IncludedExtra[] };
  /** The network gets so many times what the node gets. */
  readonly networkMultiplier: number;
  /** Tinycents for one unit beyond the included ones, by the extra's name. */
  readonly extraFees: ReadonlyMap<string, bigint>;
  readonly services: ReadonlyMap<HederaFunctionality, ServicePrice>;
}

const invalid = (rule: string): KagamiError =>
  new KagamiError('FEE_SCHEDULE_INVALID', `The fee schedule is invalid: ${rule}`);

const extraNames: ReadonlyMap<number, string> = new Map(Object.entries(Extra).map(([name, number]) => [number, name]));

/** A schedule may be younger than this list; an extra without a name is told from others by its number. */
const extraName = (extra: number): string => extraNames.get(extra) ?? `EXTRA_${extra}`;

const feeOf = (fee: bigint, what: string): bigint => {
  if (fee > MAX_TINYCENTS) throw invalid(`the fee of ${what} is beyond 64 bits`);
  return fee;
};

const includedExtras = (
  references: readonly ExtraFeeReference[],
  extraFees: ReadonlyMap<string, bigint>,
  where: string,
): IncludedExtra[] => {
  const extras = references.map(({ name, includedCount }) => ({
    name: extraName(name),
    included: BigInt(includedCount),
  }));
  if (new Set(extras.map(({ name }) => name)).size < extras.length) throw invalid(`${where} names an extra twice`);
  for (const { name } of extras) {
    if (!extraFees.has(name)) throw invalid(`${where} names ${name}, which has no fee`);
  }
  return extras;
};

const highVolumeRatesOf = ({ maxMultiplier, pricingCurve }: VariableRateDefinition): HighVolumeRates => ({
  maxMultiplier: BigInt(maxMultiplier),
  points: (pricingCurve?.curve?.piecewiseLinear.points ?? [])
    .map(({ utilizationBasisPoints, multiplier }) => ({
      utilization: BigInt(utilizationBasisPoints),
      multiplier: BigInt(multiplier),
    }))
    .sort((a, b) => Number(a.utilization - b.utilization)),
});

const servicePriceOf = (definition: ServiceFeeDefinition, extraFees: ReadonlyMap<string, bigint>): ServicePrice => {
  const where = `transaction ${definition.name}`;
  return {
    base: feeOf(definition.baseFee, where),
    extras: includedExtras(definition.extras, extraFees, where),
    nodeAndNetworkExempt: definition.nodeNetworkFeeExempt,
    highVolumeRates:
      definition.highVolumeRates === undefined ? undefined : highVolumeRatesOf(definition.highVolumeRates),
  };
};

const extraFeesOf = (message: FeeScheduleMessage): Map<string, bigint> => {
  const fees = new Map<string, bigint>();
  for (const { name: extra, fee } of message.extras) {
    const name = extraName(extra);
    if (fees.has(name)) throw invalid(`${name} has two fees`);
    if (fee === 0n) throw invalid(`${name} costs nothing`);
    fees.set(name, feeOf(fee, name));
  }
  return fees;
};

const servicesOf = (
  message: FeeScheduleMessage,
  extraFees: ReadonlyMap<string, bigint>,
): Map<HederaFunctionality, ServicePrice> => {
  const names = new Set(message.services.map(({ name }) => name));
  if (names.size === 0) throw invalid('it has no services');
  if (names.has('') || names.size < message.services.length) throw invalid('a service has no name of its own');
  const prices = new Map<HederaFunctionality, ServicePrice>();
  for (const { name: service, schedule } of message.services) {
    const functions = new Set(schedule.map(({ name }) => name));
    if (functions.size < schedule.length) throw invalid(`${service} names a transaction twice`);
    for (const definition of schedule) {
      // Where two services price the same transaction, the first one counts.
      if (!prices.has(definition.name)) prices.set(definition.name, servicePriceOf(definition, extraFees));
    }
  }
  return prices;
};

/** @throws KagamiError FEE_SCHEDULE_INVALID when the message breaks a rule of the network for its schedule. */
export const feeScheduleOf = (message: FeeScheduleMessage): FeeSchedule => {
  const { node, network } = message;
  if (node === undefined || network === undefined) throw invalid('node or network is missing');
  if (network.multiplier < 1) throw invalid('the multiplier of the network is below 1');
  const extraFees = extraFeesOf(message);
  return {
    node: { base: feeOf(node.baseFee, 'the node'), extras: includedExtras(node.extras, extraFees, 'the node') },
    networkMultiplier: network.multiplier,
    extraFees,
    services: servicesOf(message, extraFees),
  };
};
