/**
 * High-volume pricing ([HIP-1313](https://hips.hedera.com/hip/hip-1313)): who asks for a lane of its own, for bulk
 * creations, pays by how full that lane is.
 */
import { HederaFunctionality } from '../protobuf/generated/services/basic_types.ts';
import type { CurvePoint, HighVolumeRates } from './schedule/fee-schedule.ts';

/** A multiplier of 1, in thousandths. */
export const SINGLE = 1000n;

/** Utilization of a lane that is full, in basis points. */
export const FULL_LANE = 10_000n;

const pricedFunctions: ReadonlySet<HederaFunctionality> = new Set([
  HederaFunctionality.CryptoCreate,
  HederaFunctionality.CryptoApproveAllowance,
  HederaFunctionality.ConsensusCreateTopic,
  HederaFunctionality.ContractCreate,
  HederaFunctionality.FileCreate,
  HederaFunctionality.FileAppend,
  HederaFunctionality.HookStore,
  HederaFunctionality.ScheduleCreate,
  HederaFunctionality.TokenAirdrop,
  HederaFunctionality.TokenAssociateToAccount,
  HederaFunctionality.TokenClaimAirdrop,
  HederaFunctionality.TokenCreate,
  HederaFunctionality.TokenMint,
]);

/** Whether the high-volume lane is open to a kind of transaction; others ignore the wish for it. */
export const hasHighVolumeLane = (functionality: HederaFunctionality): boolean => pricedFunctions.has(functionality);

const clamp = (value: bigint, least: bigint, most: bigint): bigint =>
  value < least ? least : value > most ? most : value;

const atLeastSingle = (multiplier: bigint): bigint => (multiplier > SINGLE ? multiplier : SINGLE);

/** On the straight line between two points, divided as integers are: toward zero. */
const between = (left: CurvePoint, right: CurvePoint, utilization: bigint): bigint => {
  const [from, to] = [atLeastSingle(left.multiplier), atLeastSingle(right.multiplier)];
  const width = right.utilization - left.utilization;
  return width === 0n ? to : from + ((to - from) * (utilization - left.utilization)) / width;
};

const onCurve = (points: readonly CurvePoint[], utilization: bigint): bigint => {
  const above = points.findIndex((point) => point.utilization >= utilization);
  const upper = points.at(above);
  const lower = above > 0 ? points[above - 1] : undefined;
  if (upper === undefined) return SINGLE;
  if (above < 0 || lower === undefined) return atLeastSingle(upper.multiplier);
  return between(lower, upper, utilization);
};

/**
 * The multiplier, in thousandths, at a utilization in basis points. Before the first point of a curve its multiplier
 * counts already, after the last one its. Never below 1 nor above the maximum of the rates.
 */
export const highVolumeMultiplier = (rates: HighVolumeRates | undefined, utilization: bigint): bigint => {
  if (rates === undefined) return SINGLE;
  const most = atLeastSingle(rates.maxMultiplier);
  const points =
    rates.points.length > 0
      ? rates.points
      : [
          { utilization: 0n, multiplier: SINGLE },
          { utilization: FULL_LANE, multiplier: most },
        ];
  return clamp(onCurve(points, clamp(utilization, 0n, FULL_LANE)), SINGLE, most);
};
