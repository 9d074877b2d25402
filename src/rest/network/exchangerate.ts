/** GET /api/v1/network/exchangerate: tinybars to US cents, from system file 112. */
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { javaEndpoint } from '../../api/resource/java-endpoint.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { type ExchangeRate, ExchangeRateSet } from '../../protobuf/generated/services/exchange_rate.ts';
import { checkNesting, type MessageFields } from './nesting.ts';
import { closedObject, int32, int64, ref, timestamp } from './schemas.ts';
import { exchangeRateFileNumber, readSystemFile } from './system-file.ts';
import { timestamps } from './timestamp-bounds.ts';

/** The two rates, each with its expiry. */
const messages: MessageFields = { 1: { 3: {} }, 2: { 3: {} } };

/** Decodes the content of file 112; throws when the bytes are not exactly one message. */
export const decodeExchangeRates = (bytes: Uint8Array): ExchangeRateSet => {
  checkNesting(bytes, messages);
  const reader = new BinaryReader(bytes);
  const rates = ExchangeRateSet.decode(reader);
  if (reader.pos !== bytes.length) throw new RangeError('bytes follow the exchange rates');
  return rates;
};

const rateJson = (rate: ExchangeRate | undefined): string =>
  `{"cent_equivalent":${rate?.centEquiv ?? 0},"expiration_time":${rate?.expirationTime?.seconds ?? 0n},` +
  `"hbar_equivalent":${rate?.hbarEquiv ?? 0}}`;

export const exchangeRateRoute = javaEndpoint({
  path: '/api/v1/network/exchangerate',
  cacheSeconds: 60,
  operationId: 'getNetworkExchangeRate',
  summary: 'Get the exchange rates',
  description: 'The current and the next rate between hbars and US cents, as of a time if one is given.',
  tag: 'network',
  parameters: { timestamp: timestamps },
  answer: {
    description: 'The rates.',
    schema: ref('NetworkExchangeRateSetResponse'),
    schemas: {
      ExchangeRate: closedObject({ cent_equivalent: int32, expiration_time: int64, hbar_equivalent: int32 }),
      NetworkExchangeRateSetResponse: closedObject({
        current_rate: ref('ExchangeRate'),
        next_rate: ref('ExchangeRate'),
        timestamp,
      }),
    },
  },
  problems: [400, 404],

  handle: async ({ query }, context) => {
    const file = await readSystemFile(context, exchangeRateFileNumber, query.timestamp, decodeExchangeRates);
    const { currentRate, nextRate } = file.content;
    const body =
      `{"current_rate":${rateJson(currentRate)},"next_rate":${rateJson(nextRate)},` +
      `"timestamp":"${formatTimestamp(file.consensusTimestamp)}"}`;
    return { status: 200, body };
  },
});
