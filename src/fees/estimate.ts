/** From a transaction and a schedule to amounts, in tinycents and exact. */
import type { HederaFunctionality } from '../protobuf/generated/services/basic_types.ts';
import { hasHighVolumeLane, highVolumeMultiplier, SINGLE } from './high-volume.ts';
import type { LedgerState } from './ledger-state.ts';
import type { CountedExtra, Price } from './prices/price.ts';
import { priceList } from './prices/price-list.ts';
import { extraWithoutPrice, unknownTransactionType } from './problems.ts';
import type { FeeSchedule, IncludedExtra, ServicePrice } from './schedule/fee-schedule.ts';
import type { SubmittedTransaction } from './submitted-transaction.ts';
import { product, scaled, sum } from './tinycents.ts';

/** An extra of which more was counted than is included. */
export interface ChargedExtra {
  readonly name: string;
  readonly count: bigint;
  readonly included: bigint;
  readonly charged: bigint;
  readonly feePerUnit: bigint;
  readonly subtotal: bigint;
}

export interface FeePart {
  readonly base: bigint;
  readonly extras: readonly ChargedExtra[];
}

export interface Estimate {
  readonly node: FeePart;
  readonly network: { readonly multiplier: number; readonly subtotal: bigint };
  readonly service: FeePart;
  readonly total: bigint;
  /** In thousandths; everything above is already multiplied by it. */
  readonly highVolumeMultiplier: bigint;
}

const nothing: FeePart = { base: 0n, extras: [] };

const charge = (
  { name, included }: IncludedExtra,
  count: bigint,
  extraFees: ReadonlyMap<string, bigint>,
): ChargedExtra[] => {
  if (count <= included) return [];
  const feePerUnit = extraFees.get(name);
  if (feePerUnit === undefined) throw extraWithoutPrice(name);
  const charged = count - included;
  return [{ name, count, included, charged, feePerUnit, subtotal: product(charged, feePerUnit) }];
};

const nodePart = ({ node, extraFees }: FeeSchedule, { signatures, size }: SubmittedTransaction): FeePart => {
  const counts: Readonly<Record<string, bigint>> = { SIGNATURES: signatures, PROCESSING_BYTES: size };
  return {
    base: node.base,
    extras: node.extras.flatMap((included) => charge(included, counts[included.name] ?? 0n, extraFees)),
  };
};

/** What a transaction of that function costs in all, without extras. */
const wholePrice = ({ node, networkMultiplier, services }: FeeSchedule, functionality: HederaFunctionality): bigint => {
  const service = services.get(functionality);
  if (service === undefined) return 0n;
  const nodeAndNetwork = service.nodeAndNetworkExempt
    ? 0n
    : sum(node.base, product(node.base, BigInt(networkMultiplier)));
  return sum(service.base, nodeAndNetwork);
};

const chargeWhole = (name: string, count: bigint, feePerUnit: bigint): ChargedExtra => ({
  name,
  count,
  included: 0n,
  charged: count,
  feePerUnit,
  subtotal: product(count, feePerUnit),
});

const servicePart = (
  { base, extras }: ServicePrice,
  counted: readonly CountedExtra[],
  schedule: FeeSchedule,
): FeePart => ({
  base,
  extras: counted.flatMap(({ name, count, pricedAs }) => {
    if (pricedAs !== undefined) return [chargeWhole(name, count, wholePrice(schedule, pricedAs))];
    const included = extras.find((extra) => extra.name === name);
    if (included === undefined) throw extraWithoutPrice(name);
    return charge(included, count, schedule.extraFees);
  }),
});

const totalOf = ({ base, extras }: FeePart): bigint =>
  extras.reduce((total, { subtotal }) => sum(total, subtotal), base);

const scaledPart = ({ base, extras }: FeePart, multiplier: bigint): FeePart => ({
  base: scaled(base, multiplier),
  extras: extras.map((extra) => {
    const feePerUnit = scaled(extra.feePerUnit, multiplier);
    return { ...extra, feePerUnit, subtotal: product(extra.charged, feePerUnit) };
  }),
});

/** Totals are multiplied as they are, not added up again from parts that were rounded down. */
const assembled = (node: FeePart, networkMultiplier: number, service: FeePart, multiplier: bigint): Estimate => {
  const nodeTotal = scaled(totalOf(node), multiplier);
  const serviceTotal = scaled(totalOf(service), multiplier);
  const networkSubtotal = product(nodeTotal, BigInt(networkMultiplier));
  return {
    node: scaledPart(node, multiplier),
    network: { multiplier: networkMultiplier, subtotal: networkSubtotal },
    service: scaledPart(service, multiplier),
    total: sum(nodeTotal, networkSubtotal, serviceTotal),
    highVolumeMultiplier: multiplier,
  };
};

const priceOf = ({ body }: SubmittedTransaction): Price => {
  const price = body.data === undefined ? undefined : priceList.get(body.data.$case);
  if (price === undefined) throw unknownTransactionType();
  return price;
};

/**
 * The fees of a transaction. Without `state` (intrinsic mode) they follow from the transaction alone and the high-volume
 * lane does not count. `utilization` of that lane is in basis points.
 * @throws HttpProblem 400 when the transaction has no price
 */
export const estimateFees = (
  schedule: FeeSchedule,
  transaction: SubmittedTransaction,
  state: LedgerState | undefined,
  utilization: bigint,
): Estimate => {
  const { functionality, pricedAs, charges } = priceOf(transaction);
  const counted = charges({ body: transaction.body, state });
  if (counted === 'free') return assembled(nothing, 0, nothing, SINGLE);
  const own = schedule.services.get(functionality);
  const applied = schedule.services.get(pricedAs);
  if (own === undefined || applied === undefined) throw unknownTransactionType();
  const service = servicePart(applied, counted, schedule);
  const isHighVolume = state !== undefined && transaction.body.highVolume && hasHighVolumeLane(functionality);
  const multiplier = isHighVolume ? highVolumeMultiplier(own.highVolumeRates, utilization) : SINGLE;
  return own.nodeAndNetworkExempt
    ? assembled(nothing, 0, service, multiplier)
    : assembled(nodePart(schedule, transaction), schedule.networkMultiplier, service, multiplier);
};
