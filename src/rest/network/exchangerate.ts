/** GET /api/v1/network/exchangerate: tinybars to US cents, from system file 112. */
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { javaEndpoint } from '../../api/resource/java-endpoint.ts';
import { record } from '../../api/resource/record.ts';
import type { SystemFile } from '../../api/system-file.ts';
import { formatTimestamp } from '../../ledger/timestamp.ts';
import { type ExchangeRate, ExchangeRateSet } from '../../protobuf/generated/services/exchange_rate.ts';
import { checkNesting, type MessageFields } from './nesting.ts';
import { int32, int64, timestamp } from './schemas.ts';
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

const rate = record<ExchangeRate | undefined>('ExchangeRate', {
  cent_equivalent: { schema: int32, json: (rate) => `${rate?.centEquiv ?? 0}` },
  expiration_time: { schema: int64, json: (rate) => `${rate?.expirationTime?.seconds ?? 0n}` },
  hbar_equivalent: { schema: int32, json: (rate) => `${rate?.hbarEquiv ?? 0}` },
});

const rates = record<SystemFile<ExchangeRateSet>>('NetworkExchangeRateSetResponse', {
  current_rate: { schema: rate.schema, json: ({ content }) => rate.json(content.currentRate) },
  next_rate: { schema: rate.schema, json: ({ content }) => rate.json(content.nextRate) },
  timestamp: { schema: timestamp, json: ({ consensusTimestamp }) => `"${formatTimestamp(consensusTimestamp)}"` },
});

export const exchangeRateRoute = javaEndpoint({
  path: '/api/v1/network/exchangerate',
  cacheSeconds: 60,
  operationId: 'getNetworkExchangeRate',
  summary: 'Get the exchange rates',
  description: 'The current and the next rate between hbars and US cents, as of a time if one is given.',
  tag: 'network',
  parameters: { timestamp: timestamps },
  answer: { description: 'The rates.', schema: rates.schema, schemas: { ...rates.schemas, ...rate.schemas } },
  problems: [400, 404],

  handle: async ({ query }, context) => {
    const file = await readSystemFile(context, exchangeRateFileNumber, query.timestamp, decodeExchangeRates);
    return { status: 200, body: rates.json(file) };
  },
});
