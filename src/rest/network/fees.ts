/** GET /api/v1/network/fees: gas prices in tinybars, from the fee schedule (file 111) and the exchange rates (file 112). */
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { reasonedProblem } from '../../api/problem.ts';
import type { RestAnswer, RestRequest, Route, RouteContext } from '../../api/route.ts';
import { formatTimestamp, NANOS_PER_SECOND } from '../../ledger/timestamp.ts';
import {
  CurrentAndNextFeeSchedule,
  type FeeSchedule,
  HederaFunctionality,
} from '../../protobuf/generated/services/basic_types.ts';
import type { ExchangeRate, ExchangeRateSet } from '../../protobuf/generated/services/exchange_rate.ts';
import { decodeExchangeRates } from './exchangerate.ts';
import { singleOrder } from './parameters.ts';
import { closedObject, int64, orderParameter, ref, text, timestamp, timestampParameter } from './schemas.ts';
import { exchangeRateFileNumber, feeScheduleFileNumber, readSystemFile } from './system-file.ts';
import { timestampBounds } from './timestamp-bounds.ts';

/** Transactions whose price is shown, in ascending order of their names. */
const priced = [
  { functionality: HederaFunctionality.ContractCall, name: 'ContractCall' },
  { functionality: HederaFunctionality.ContractCreate, name: 'ContractCreate' },
  { functionality: HederaFunctionality.EthereumTransaction, name: 'EthereumTransaction' },
] as const;

const decodeFeeSchedules = (bytes: Uint8Array): CurrentAndNextFeeSchedule => {
  const reader = new BinaryReader(bytes);
  const schedules = CurrentAndNextFeeSchedule.decode(reader);
  if (reader.pos !== bytes.length) throw new RangeError('bytes follow the fee schedules');
  return schedules;
};

/** The schedule in force at `time` (nanoseconds): the next one once the current has expired. */
const scheduleAt = (schedules: CurrentAndNextFeeSchedule, time: bigint): FeeSchedule | undefined => {
  const { currentFeeSchedule, nextFeeSchedule } = schedules;
  const expiry = (currentFeeSchedule?.expiryTime?.seconds ?? 0n) * NANOS_PER_SECOND;
  return time > expiry ? nextFeeSchedule : currentFeeSchedule;
};

const rateAt = ({ currentRate, nextRate }: ExchangeRateSet, time: bigint): ExchangeRate | undefined => {
  const expiry = (currentRate?.expirationTime?.seconds ?? 0n) * NANOS_PER_SECOND;
  return time > expiry ? nextRate : currentRate;
};

/**
 * Tinybars for one unit of gas, at least 1: the schedule counts gas in thousandths of a tinycent. Undefined while the
 * rate is unset.
 */
export const gasInTinybars = (gas: bigint, rate: Pick<ExchangeRate, 'hbarEquiv' | 'centEquiv'>): bigint | undefined => {
  if (rate.centEquiv === 0) return undefined;
  const tinybars = ((gas / 1000n) * BigInt(rate.hbarEquiv)) / BigInt(rate.centEquiv);
  return tinybars > 1n ? tinybars : 1n;
};

const handle = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const bounds = timestampBounds(request.query);
  const order = singleOrder(request.query, () => reasonedProblem(400, "Failed to convert 'order'"));
  // One after the other: when both are missing, the answer names the fee schedule.
  const feeFile = await readSystemFile(context, feeScheduleFileNumber, bounds, decodeFeeSchedules);
  const rateFile = await readSystemFile(context, exchangeRateFileNumber, bounds, decodeExchangeRates);
  const time = bounds.upperGiven ? bounds.upper : BigInt(feeFile.consensusTimestamp);
  const schedule = scheduleAt(feeFile.content, time);
  const rate = rateAt(rateFile.content, time);
  const fees: string[] = [];
  for (const { functionality, name } of priced) {
    const entry = schedule?.transactionFeeSchedule.find((fee) => fee.hederaFunctionality === functionality);
    const service = entry?.fees[0]?.servicedata;
    const gas = service === undefined || rate === undefined ? undefined : gasInTinybars(service.gas, rate);
    if (gas !== undefined) fees.push(`{"gas":${gas},"transaction_type":"${name}"}`);
  }
  if (order === 'desc') fees.reverse();
  const body = `{"fees":[${fees.join(',')}],"timestamp":"${formatTimestamp(feeFile.consensusTimestamp)}"}`;
  return { status: 200, body };
};

export const feesRoute: Route = {
  method: 'GET',
  path: '/api/v1/network/fees',
  flavour: 'java',
  cacheSeconds: 60,
  handle,
  operation: {
    operationId: 'getNetworkFees',
    summary: 'Get the gas prices',
    description: 'The price of gas, in tinybars, of the transactions that run contracts.',
    tags: ['network'],
    parameters: [orderParameter, timestampParameter],
    answer: { description: 'The prices.', schema: ref('NetworkFeesResponse') },
    problems: [400, 404],
    schemas: {
      NetworkFee: closedObject({ gas: int64, transaction_type: text }),
      NetworkFeesResponse: closedObject({ fees: { type: 'array', items: ref('NetworkFee') }, timestamp }),
    },
  },
};
