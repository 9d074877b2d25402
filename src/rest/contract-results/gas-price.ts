/**
 * What a unit of gas cost in a contract call at some time, for results of transactions that name no price themselves:
 * from the fee schedule and the exchange rates that were in force then.
 */
import type { RouteContext } from '../../api/route.ts';
import { findSystemFile } from '../../api/system-file.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { MAX_NANOS } from '../../ledger/timestamp.ts';
import { HederaFunctionality } from '../../protobuf/generated/services/basic_types.ts';
import { decodeExchangeRates } from '../network/exchangerate.ts';
import { decodeFeeSchedules, gasPriceAt } from '../network/gas-price.ts';
import { exchangeRateFileNumber, feeScheduleFileNumber } from '../network/system-file.ts';

/** Tinybars by consensus timestamp in digits; null where the files do not tell. */
export type GasPrices = (consensusTimestamp: string) => bigint | null;

interface SpanRow {
  readonly consensus_timestamp: string;
  readonly fees_end: string;
  readonly rates_end: string;
}

const endOfVersion = (file: string): string => `coalesce((select f.consensus_timestamp - 1 from file_data f
    where f.entity_id = ${file} and f.consensus_timestamp > t.consensus_timestamp
      and (f.transaction_type = 17 or (f.transaction_type = 19 and length(f.file_data) > 0))
    order by f.consensus_timestamp limit 1), ${MAX_NANOS})`;

/**
 * Until when the versions of the two files lasted that were the newest at each timestamp. A version counts as a whole,
 * even at times when it was still being appended to.
 */
const spans = `select t.consensus_timestamp, ${endOfVersion('$2')} as fees_end, ${endOfVersion('$3')} as rates_end
  from unnest($1::bigint[]) t(consensus_timestamp)`;

/** The contents of a file as it was at the end of each span (digits); undefined where no version can be read. */
const contentsAt = async <T>(
  context: RouteContext,
  file: bigint,
  ends: readonly string[],
  decode: (bytes: Uint8Array) => T,
): Promise<ReadonlyMap<string, T | undefined>> => {
  const entries = [...new Set(ends)].map(async (end) => {
    const found = await findSystemFile(context, file, { lower: 0n, upper: BigInt(end) }, decode);
    return [end, found?.content] as const;
  });
  return new Map(await Promise.all(entries));
};

/** The prices at the given consensus timestamps (digits). */
export const readGasPrices = async (timestamps: readonly string[], context: RouteContext): Promise<GasPrices> => {
  if (timestamps.length === 0) return () => null;
  const files = [feeScheduleFileNumber, exchangeRateFileNumber].map((num) =>
    encodeEntityId(context.shard, context.realm, num),
  );
  const rows = await context.db.query<SpanRow>(spans, [timestamps, ...files], 'gas-price-spans');
  const [schedules, rates] = await Promise.all([
    contentsAt(
      context,
      feeScheduleFileNumber,
      rows.map((row) => row.fees_end),
      decodeFeeSchedules,
    ),
    contentsAt(
      context,
      exchangeRateFileNumber,
      rows.map((row) => row.rates_end),
      decodeExchangeRates,
    ),
  ]);
  const prices = new Map<string, bigint | null>();
  for (const { consensus_timestamp, fees_end, rates_end } of rows) {
    const schedule = schedules.get(fees_end);
    const rate = rates.get(rates_end);
    if (schedule === undefined || rate === undefined) continue;
    const price = gasPriceAt(schedule, rate, HederaFunctionality.ContractCall, BigInt(consensus_timestamp));
    prices.set(consensus_timestamp, price ?? null);
  }
  return (consensusTimestamp) => prices.get(consensusTimestamp) ?? null;
};
