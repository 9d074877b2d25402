/** GET /api/v1/network/fees: gas prices in tinybars, from the fee schedule (file 111) and the exchange rates (file 112). */
import { failedToConvert } from '../../api/java-parameters.ts';
import { javaEndpoint } from '../../api/resource/java-endpoint.ts';
import type { RawQuery } from '../../api/route.ts';
import { inSnapshot } from '../../api/snapshot.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { HederaFunctionality } from '../../protobuf/generated/services/basic_types.ts';
import { decodeExchangeRates } from './exchangerate.ts';
import { decodeFeeSchedules, gasPriceAt } from './gas-price.ts';
import { order, singleOrder } from './parameters.ts';
import { closedObject, int64, ref, text, timestamp } from './schemas.ts';
import { exchangeRateFileNumber, feeScheduleFileNumber, readSystemFile } from './system-file.ts';
import { timestamps } from './timestamp-bounds.ts';

/** Transactions whose price is shown, in ascending order of their names. */
const priced = [
  { functionality: HederaFunctionality.ContractCall, name: 'ContractCall' },
  { functionality: HederaFunctionality.ContractCreate, name: 'ContractCreate' },
  { functionality: HederaFunctionality.EthereumTransaction, name: 'EthereumTransaction' },
] as const;

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
    schema: ref('NetworkFeesResponse'),
    schemas: {
      NetworkFee: closedObject({ gas: int64, transaction_type: text }),
      NetworkFeesResponse: closedObject({ fees: { type: 'array', items: ref('NetworkFee') }, timestamp }),
    },
  },
  problems: [400, 404],

  handle: ({ query }, current) =>
    inSnapshot(current, async (context) => {
      const { timestamp: bounds, order } = query;
      // One after the other: when both are missing, the answer names the fee schedule.
      const feeFile = await readSystemFile(context, feeScheduleFileNumber, bounds, decodeFeeSchedules);
      const rateFile = await readSystemFile(context, exchangeRateFileNumber, bounds, decodeExchangeRates);
      const time = bounds.upperGiven ? bounds.upper : BigInt(feeFile.consensusTimestamp);
      const fees: string[] = [];
      for (const { functionality, name } of priced) {
        const gas = gasPriceAt(feeFile.content, rateFile.content, functionality, time);
        if (gas !== undefined) fees.push(`{"gas":${gas},"transaction_type":"${name}"}`);
      }
      if (order === 'desc') fees.reverse();
      const body = `{"fees":[${fees.join(',')}],"timestamp":"${formatTimestamp(feeFile.consensusTimestamp)}"}`;
      return { status: 200, body };
    }),
});
