/**
 * What a unit of gas cost in a contract call at some time, for results of transactions that name no price themselves:
 * from the fee schedule and the exchange rates that were in force then.
 */
import type { Cells } from '../../api/resource/field-type.ts';
import type { RouteContext } from '../../api/route.ts';
import { findSystemFile } from '../../api/system-file.ts';
import type { Database } from '../../database/connection.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { HederaFunctionality } from '../../protobuf/generated/services/basic_types.ts';
import { decodeExchangeRates } from '../network/exchangerate.ts';
import { decodeFeeSchedules, gasPriceAt } from '../network/gas-price.ts';
import { exchangeRateFileNumber, feeScheduleFileNumber } from '../network/system-file.ts';

/**
 * A time (digits) until when the version of each file lasted that was the newest when the result came, or as far as that is
 * known; the empty text where there is no such file, or none is needed.
 */
type FileEnds = Cells<'feesEnd' | 'ratesEnd'>;

/** Tinybars at a consensus timestamp in digits; null where the files do not tell. */
export type GasPrices = (ends: FileEnds, consensusTimestamp: string) => bigint | null;

export const gasPriceKeys: FileEnds = { feesEnd: 'p.fees_end', ratesEnd: 'p.rates_end' };

/** A version counts as a whole, even at times when it was still being appended to. */
const endOfVersion = (file: string): string => `case when t.type is null then coalesce(
    (select f.consensus_timestamp - 1 from file_data f
      where f.entity_id = ${file} and f.consensus_timestamp > r.consensus_timestamp
        and (f.transaction_type = 17 or (f.transaction_type = 19 and length(f.file_data) > 0))
      order by f.consensus_timestamp limit 1),
    (select max(f.consensus_timestamp) from file_data f where f.entity_id = ${file})) end`;

/** Of results `r` with their Ethereum transactions `t`, by placeholders of `gasPriceFiles`. */
export const gasPriceColumns = (fees: string, rates: string): Readonly<Record<string, string>> => ({
  fees_end: endOfVersion(fees),
  rates_end: endOfVersion(rates),
});

const fileOf = (context: Pick<RouteContext, 'shard' | 'realm'>, number: bigint): bigint =>
  encodeEntityId(context.shard, context.realm, number);

/** The ids of the fee schedules' and the exchange rates' file. */
export const gasPriceFiles = (context: Pick<RouteContext, 'shard' | 'realm'>): readonly [bigint, bigint] => [
  fileOf(context, feeScheduleFileNumber),
  fileOf(context, exchangeRateFileNumber),
];

/** What files held at past times never changes. As many contents are kept as this; the one that came first goes first. */
const mostContents = 128;

const contentsOf = new WeakMap<Database, Map<string, Promise<unknown>>>();

/** The content of a file at a time in digits; undefined where no version can be read. */
const contentAt = <T>(
  context: RouteContext,
  number: bigint,
  end: string,
  decode: (bytes: Uint8Array) => T,
): Promise<T | undefined> => {
  const contents = contentsOf.get(context.db) ?? new Map<string, Promise<unknown>>();
  contentsOf.set(context.db, contents);
  const key = `${fileOf(context, number)} ${end}`;
  const known = contents.get(key);
  if (known !== undefined) return known as Promise<T | undefined>;
  const content = findSystemFile(context, number, { lower: 0n, upper: BigInt(end) }, decode).then(
    (found) => found?.content,
  );
  content.catch(() => contents.delete(key));
  for (const oldest of contents.keys()) if (contents.size >= mostContents) contents.delete(oldest);
  contents.set(key, content);
  return content;
};

/**
 * The prices of results.
 * @param context outside of a snapshot, so that what was read is kept
 */
export const readGasPrices = async (rows: readonly FileEnds[], context: RouteContext): Promise<GasPrices> => {
  const contentsAt = async <T>(
    number: bigint,
    ends: readonly string[],
    decode: (bytes: Uint8Array) => T,
  ): Promise<ReadonlyMap<string, T | undefined>> => {
    const entries = [...new Set(ends)].map(
      async (end) => [end, end === '' ? undefined : await contentAt(context, number, end, decode)] as const,
    );
    return new Map(await Promise.all(entries));
  };
  const [schedules, rates] = await Promise.all([
    contentsAt(
      feeScheduleFileNumber,
      rows.map(({ feesEnd }) => feesEnd),
      decodeFeeSchedules,
    ),
    contentsAt(
      exchangeRateFileNumber,
      rows.map(({ ratesEnd }) => ratesEnd),
      decodeExchangeRates,
    ),
  ]);
  return ({ feesEnd, ratesEnd }, consensusTimestamp) => {
    const schedule = schedules.get(feesEnd);
    const rate = rates.get(ratesEnd);
    if (schedule === undefined || rate === undefined) return null;
    return gasPriceAt(schedule, rate, HederaFunctionality.ContractCall, BigInt(consensusTimestamp)) ?? null;
  };
};
