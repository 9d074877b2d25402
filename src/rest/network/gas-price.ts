/** What a unit of gas costs, by the fee schedule (file 111) and the exchange rates (file 112). */
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { NANOS_PER_SECOND } from '../../ledger/timestamp.ts';
import { CurrentAndNextFeeSchedule, type HederaFunctionality } from '../../protobuf/generated/services/basic_types.ts';
import type { ExchangeRate, ExchangeRateSet } from '../../protobuf/generated/services/exchange_rate.ts';
import { checkNesting, type MessageFields } from './nesting.ts';

const feeData: MessageFields = { 1: {}, 2: {}, 3: {} };
const schedule: MessageFields = { 1: { 2: feeData, 3: feeData }, 2: {} };

/** Decodes the content of file 111; throws when the bytes are not exactly one message. */
export const decodeFeeSchedules = (bytes: Uint8Array): CurrentAndNextFeeSchedule => {
  checkNesting(bytes, { 1: schedule, 2: schedule });
  const reader = new BinaryReader(bytes);
  const schedules = CurrentAndNextFeeSchedule.decode(reader);
  if (reader.pos !== bytes.length) throw new RangeError('bytes follow the fee schedules');
  return schedules;
};

/** Whether something that expires at these seconds has expired at `time` (nanoseconds). */
const isExpired = (expiry: { readonly seconds: bigint } | undefined, time: bigint): boolean =>
  time > (expiry?.seconds ?? 0n) * NANOS_PER_SECOND;

/**
 * Tinybars for one unit of gas, at least 1: the schedule counts gas in thousandths of a tinycent. Undefined while the
 * rate is unset.
 */
export const gasInTinybars = (gas: bigint, rate: Pick<ExchangeRate, 'hbarEquiv' | 'centEquiv'>): bigint | undefined => {
  if (rate.centEquiv === 0) return undefined;
  const tinybars = ((gas / 1000n) * BigInt(rate.hbarEquiv)) / BigInt(rate.centEquiv);
  return tinybars > 1n ? tinybars : 1n;
};

/**
 * Tinybars for one unit of gas at `time` (nanoseconds): the next schedule and rate count once the current ones have
 * expired. Undefined where they do not tell.
 */
export const gasPriceAt = (
  { currentFeeSchedule, nextFeeSchedule }: CurrentAndNextFeeSchedule,
  { currentRate, nextRate }: ExchangeRateSet,
  functionality: HederaFunctionality,
  time: bigint,
): bigint | undefined => {
  const schedule = isExpired(currentFeeSchedule?.expiryTime, time) ? nextFeeSchedule : currentFeeSchedule;
  const rate = isExpired(currentRate?.expirationTime, time) ? nextRate : currentRate;
  const fee = schedule?.transactionFeeSchedule.find(({ hederaFunctionality }) => hederaFunctionality === functionality);
  const gas = fee?.fees[0]?.servicedata?.gas;
  return gas === undefined || rate === undefined ? undefined : gasInTinybars(gas, rate);
};
