/** GET /api/v1/network/fees: gas prices in tinybars, from the fee schedule (file 111) and the exchange rates (file 112). */
import { failedToConvert } from '../../api/java-parameters.ts';
import { listSchema } from '../../api/resource/field.ts';
import { javaEndpoint } from '../../api/resource/java-endpoint.ts';
import { record } from '../../api/resource/record.ts';
import type { RawQuery } from '../../api/route.ts';
import { inSnapshot } from '../../api/snapshot.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { HederaFunctionality } from '../../protobuf/generated/services/basic_types.ts';
import { decodeExchangeRates } from './exchangerate.ts';
import { decodeFeeSchedules, gasPriceAt } from './gas-price.ts';
import { order, singleOrder } from './parameters.ts';
import { int64, text, timestamp } from './schemas.ts';
import { exchangeRateFileNumber, feeScheduleFileNumber, readSystemFile } from './system-file.ts';
import { timestamps } from './timestamp-bounds.ts';

/** Transactions whose price is shown, in ascending order of their names. */
const priced = [
  { functionality: HederaFunctionality.ContractCall, name: 'ContractCall' },
  { functionality: HederaFunctionality.ContractCreate, name: 'ContractCreate' },
  { functionality: HederaFunctionality.EthereumTransaction, name: 'EthereumTransaction' },
] as const;

interface Fee {
  /** Tinybars. */
  readonly gas: bigint;
  readonly name: string;
}

const fee = record<Fee>('NetworkFee', {
  gas: { schema: int64, json: ({ gas }) => `${gas}` },
  transaction_type: { schema: text, json: ({ name }) => `"${name}"` },
});

const feesAnswer = record<{ readonly fees: readonly Fee[]; readonly consensusTimestamp: string }>(
  'NetworkFeesResponse',
  {
    fees: { schema: listSchema(fee.schema), json: ({ fees }) => `[${fees.map(fee.json).join(',')}]` },
    timestamp: { schema: timestamp, json: ({ consensusTimestamp }) => `"${formatTimestamp(consensusTimestamp)}"` },
  },
);

export const feesRoute = javaEndpoint({
  path: '/api/v1/network/fees',
  cacheSeconds: 60,
  operationId: 'getNetworkFees',
  summary: 'Get the gas prices',
  description: 'The price of gas, in tinybars, of the transactions that run contracts.',
  tag: 'network',
  parameters: {
    order: { ...order, read: (query: RawQuery, name: string) => singleOrder(query, () => failedToConvert(name)) },
    timestamp: timestamps,
  },
  answer: {
    description: 'The prices.',
    schema: feesAnswer.schema,
    schemas: { ...feesAnswer.schemas, ...fee.schemas },
  },
  problems: [400, 404],

  handle: ({ query }, current) =>
    inSnapshot(current, async (context) => {
      const { timestamp: bounds, order } = query;
      // One after the other: when both are missing, the answer names the fee schedule.
      const feeFile = await readSystemFile(context, feeScheduleFileNumber, bounds, decodeFeeSchedules);
      const rateFile = await readSystemFile(context, exchangeRateFileNumber, bounds, decodeExchangeRates);
      const time = bounds.upperGiven ? bounds.upper : BigInt(feeFile.consensusTimestamp);
      const fees = priced.flatMap(({ functionality, name }): Fee[] => {
        const gas = gasPriceAt(feeFile.content, rateFile.content, functionality, time);
        return gas === undefined ? [] : [{ gas, name }];
      });
      if (order === 'desc') fees.reverse();
      const body = feesAnswer.json({ fees, consensusTimestamp: feeFile.consensusTimestamp });
      return { status: 200, body };
    }),
});
