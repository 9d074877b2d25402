/** GET /api/v1/network/fees: gas prices in tinybars, from the fee schedule (file 111) and the exchange rates (file 112). */
import { reasonedProblem } from '../../api/problem.ts';
import type { RestAnswer, RestRequest, Route, RouteContext } from '../../api/route.ts';
import { fromOneSnapshot } from '../../api/snapshot.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { HederaFunctionality } from '../../protobuf/generated/services/basic_types.ts';
import { decodeExchangeRates } from './exchangerate.ts';
import { decodeFeeSchedules, gasPriceAt } from './gas-price.ts';
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

const handle = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const bounds = timestampBounds(request.query);
  const order = singleOrder(request.query, () => reasonedProblem(400, "Failed to convert 'order'"));
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
};

export const feesRoute: Route = {
  method: 'GET',
  path: '/api/v1/network/fees',
  flavour: 'java',
  cacheSeconds: 60,
  handle: fromOneSnapshot(handle),
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
