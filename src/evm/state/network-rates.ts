/** The exchange rate and the price of gas, by the network's own files. */
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { findSystemFile } from '../../api/system-file.ts';
import type { Database } from '../../database/connection.ts';
import { MAX_NANOS, NANOS_PER_SECOND } from '../../ledger/timestamp.ts';
import { Extra, FeeSchedule } from '../../protobuf/generated/fees/fee_schedule.ts';
import { CurrentAndNextFeeSchedule, HederaFunctionality } from '../../protobuf/generated/services/basic_types.ts';
import { ExchangeRateSet } from '../../protobuf/generated/services/exchange_rate.ts';
import type { ExchangeRate } from './records.ts';
import type { NetworkRates } from './state-source.ts';

export interface RatesContext {
  readonly db: Database;
  readonly shard: bigint;
  readonly realm: bigint;
  /** How many versions of a file are tried until one can be decoded. */
  readonly maxFileAttempts: number;
}

interface ExpiringRate extends ExchangeRate {
  /** Nanoseconds. */
  readonly expiry: bigint;
}

interface Rates {
  readonly current: ExpiringRate;
  readonly next: ExpiringRate;
}

interface GasPrices {
  readonly current: bigint;
  readonly next: bigint;
  /** Nanoseconds until which `current` holds. */
  readonly expiry: bigint;
}

const feeScheduleFile = 111n;
const exchangeRateFile = 112n;
const simpleFeeScheduleFile = 113n;

const NANOS_PER_HOUR = 3_600n * NANOS_PER_SECOND;
const MILLI = 1_000n;

const DEFAULT_GAS_PRICE = 852_000n;

const unchanging = (price: bigint): GasPrices => ({ current: price, next: price, expiry: MAX_NANOS });

/** What a network begins with: 12 cents for an hbar until the end of 2099. */
const genesisExpiry = 4_102_444_800n * NANOS_PER_SECOND;
const genesisRates: Rates = {
  current: { hbarEquiv: 1n, centEquiv: 12n, expiry: genesisExpiry },
  next: { hbarEquiv: 1n, centEquiv: 15n, expiry: genesisExpiry },
};

/** @throws RangeError when bytes follow the message, and what the codec throws. */
const decodeWhole = <T>(codec: { decode(reader: BinaryReader): T }, bytes: Uint8Array): T => {
  const reader = new BinaryReader(bytes);
  const message = codec.decode(reader);
  if (reader.pos !== bytes.length) throw new RangeError('bytes follow the message');
  return message;
};

/** @throws RangeError for a rate that can't be divided by, so that the version before counts. */
const rateOf = (rate: ExchangeRateSet['currentRate']): ExpiringRate => {
  if (rate === undefined || rate.hbarEquiv <= 0 || rate.centEquiv <= 0) throw new RangeError('a rate is unset');
  return {
    hbarEquiv: BigInt(rate.hbarEquiv),
    centEquiv: BigInt(rate.centEquiv),
    expiry: (rate.expirationTime?.seconds ?? 0n) * NANOS_PER_SECOND,
  };
};

const decodeRates = (bytes: Uint8Array): Rates => {
  const { currentRate, nextRate } = decodeWhole(ExchangeRateSet, bytes);
  return { current: rateOf(currentRate), next: rateOf(nextRate) };
};

/**
 * Tinycents for a unit of gas in the simple schedule ([HIP-1261](https://hips.hedera.com/hip/hip-1261)), in
 * thousandths; undefined where it has none.
 */
const decodeSimpleGasPrice = (bytes: Uint8Array): bigint | undefined => {
  const fee = decodeWhole(FeeSchedule, bytes).extras.find(({ name }) => name === Extra.GAS)?.fee;
  return fee === undefined || fee === 0n ? undefined : fee * MILLI;
};

const gasOf = (schedule: CurrentAndNextFeeSchedule['currentFeeSchedule']): bigint =>
  schedule?.transactionFeeSchedule.find(
    ({ hederaFunctionality }) => hederaFunctionality === HederaFunctionality.ContractCall,
  )?.fees[0]?.servicedata?.gas || DEFAULT_GAS_PRICE;

const decodeGasPrices = (bytes: Uint8Array): GasPrices => {
  const { currentFeeSchedule, nextFeeSchedule } = decodeWhole(CurrentAndNextFeeSchedule, bytes);
  return {
    current: gasOf(currentFeeSchedule),
    next: gasOf(nextFeeSchedule),
    expiry: (currentFeeSchedule?.expiryTime?.seconds ?? 0n) * NANOS_PER_SECOND,
  };
};

const readFile = async <T>(
  { db, shard, realm, maxFileAttempts }: RatesContext,
  fileNumber: bigint,
  upper: bigint,
  decode: (bytes: Uint8Array) => T,
): Promise<T | undefined> => {
  const context = { db, shard, realm, javaSettings: { query: { maxFileAttempts } } };
  return (await findSystemFile(context, fileNumber, { lower: 0n, upper }, decode))?.content;
};

/** What the system files say of prices. */
export interface RateFiles {
  readonly rates: Rates;
  readonly gasPrices: GasPrices;
}

const readGasPrices = async (context: RatesContext, upper: bigint): Promise<GasPrices> => {
  const simple = await readFile(context, simpleFeeScheduleFile, upper, decodeSimpleGasPrice);
  if (simple !== undefined) return unchanging(simple);
  return (await readFile(context, feeScheduleFile, upper, decodeGasPrices)) ?? unchanging(DEFAULT_GAS_PRICE);
};

/** The start of the hour of `now`: files that came within the hour don't count before its end. */
export const startOfHour = (now: bigint): bigint => now - (now % NANOS_PER_HOUR);

/** The files as they were at a time (nanoseconds); what a network begins with where there are none. */
export const readRateFiles = async (context: RatesContext, at: bigint): Promise<RateFiles> => {
  const [rates, gasPrices] = await Promise.all([
    readFile(context, exchangeRateFile, at, decodeRates),
    readGasPrices(context, at),
  ]);
  return { rates: rates ?? genesisRates, gasPrices };
};

/** The current rate and price until they expire, then the next ones. */
export const ratesAt = ({ rates, gasPrices }: RateFiles, now: bigint): NetworkRates => {
  const { hbarEquiv, centEquiv } = now > rates.current.expiry ? rates.next : rates.current;
  return {
    exchangeRate: { hbarEquiv, centEquiv },
    gasPriceMilliTinycents: now > gasPrices.expiry ? gasPrices.next : gasPrices.current,
  };
};
