/** From the bytes of a query to those of its answer: what it costs, whether that is paid, what there is to tell. */
import { decodeWhole } from '../../fees/whole-message.ts';
import { invalidArgument } from '../../grpc/call-failure.ts';
import { Query } from '../../protobuf/generated/services/query.ts';
import { ResponseType } from '../../protobuf/generated/services/query_header.ts';
import { Response } from '../../protobuf/generated/services/response.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { WireReader } from '../../streams/wire.ts';
import { UnpaidRefusal } from '../precheck.ts';
import { type ExchangeRate, tinybarsOf } from '../transactions/charges.ts';
import { demand, Refusal } from '../transactions/refusal.ts';
import { type Answer, type Found, type QueryContext, type QueryKind, responseOf } from './query-kind.ts';
import { queryKinds } from './query-kinds.ts';

export interface Cashier {
  /**
   * Checks the payment of a query and hands it to the network.
   * @param cost tinybars
   * @throws Refusal, UnpaidRefusal when it is too small
   */
  collect(payment: NonNullable<ReturnType<QueryKind['headerOf']>>['payment'], cost: bigint): void;
}

const LAST_QUERY_FIELD = 58;
/** From here on, the field of an answer is that of its query plus 100. */
const FIRST_LATER_FIELD = 50;
const LATER_FIELDS_DISTANCE = 100;

/** An answer to a query that nobody here knows: its header with NOT_SUPPORTED. */
const unsupported = (field: number): Uint8Array => {
  const target = field < FIRST_LATER_FIELD ? field : field + LATER_FIELDS_DISTANCE;
  const tag = target * 8 + 2;
  const header = [0x0a, 0x02, 0x08, ResponseCodeEnum.NOT_SUPPORTED];
  return Uint8Array.from([...(tag < 0x80 ? [tag] : [(tag & 0x7f) | 0x80, tag >> 7]), header.length, ...header]);
};

const decode = (bytes: Uint8Array): Query => {
  try {
    return decodeWhole<Query>(Query, bytes);
  } catch {
    throw invalidArgument('Malformed query');
  }
};

/** Number of the field of a well-formed query that is none of ours. */
const fieldOf = (bytes: Uint8Array): number => {
  const reader = new WireReader(bytes, 'query');
  return reader.next() && reader.wireType === 2 ? reader.field : 0;
};

/** Nothing that the network answers is told twice, so a refusal may come later than it is known. */
type Search = { readonly found: Found } | { readonly refusal: Refusal };

const search = (kind: QueryKind, query: Query, context: QueryContext): Search => {
  try {
    return { found: kind.find(query, context) };
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error };
    throw error;
  }
};

/** @throws CallFailure INVALID_ARGUMENT when it is no query */
export const answerQuery = (
  bytes: Uint8Array,
  context: QueryContext,
  cashier: Cashier,
  rate: ExchangeRate,
): Uint8Array => {
  const query = decode(bytes);
  const kind = queryKinds.get(query.query?.$case ?? '');
  if (kind === undefined) {
    const field = fieldOf(bytes);
    if (field < 1 || field > LAST_QUERY_FIELD) throw invalidArgument('Unknown query');
    return unsupported(field);
  }
  const header = kind.headerOf(query);
  const responseType = header?.responseType ?? ResponseType.ANSWER_ONLY;
  const respond = (code: number, cost: bigint, answer: Answer): Uint8Array => {
    const parts = responseOf(kind.name, { nodeTransactionPrecheckCode: code, responseType, cost }, answer);
    return Response.encode(Response.fromPartial({ response: parts })).finish();
  };
  try {
    const isPlain = responseType === ResponseType.ANSWER_ONLY || responseType === ResponseType.COST_ANSWER;
    demand(isPlain, ResponseCodeEnum.NOT_SUPPORTED);
    const result = search(kind, query, context);
    const tinycents = ('found' in result ? result.found.tinycents : undefined) ?? kind.price;
    const cost = tinybarsOf(tinycents, rate);
    const isPaid = kind.price > 0n && responseType === ResponseType.ANSWER_ONLY;
    if (isPaid) cashier.collect(header?.payment, cost);
    if ('refusal' in result) throw result.refusal;
    if (responseType === ResponseType.COST_ANSWER) return respond(ResponseCodeEnum.OK, cost, {});
    return respond(ResponseCodeEnum.OK, 0n, result.found.answer);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return respond(error.code, error instanceof UnpaidRefusal ? error.cost : 0n, {});
  }
};
