/** The filters of logs: where in time and within a transaction, topics, and the hash of the transaction. */
import { conjunction, type Interval } from '../../api/bounds.ts';
import { type PairedBounds, pairedBounds } from '../../api/paired-bounds.ts';
import {
  limitParameter,
  nonNegativeInt8Parameter,
  orderParameter,
  timestampParameter,
} from '../../api/parameter-checks.ts';
import { badRequest, HttpProblem } from '../../api/problem.ts';
import { type AcceptedParameters, allOf, type Filter, type ParameterCheck } from '../../api/query.ts';
import { checkTimestamps, timestampBounds } from '../../api/timestamp-filter.ts';
import { trimLeadingZeros } from '../../ledger/bytes.ts';
import { type Nanos, parseTimestamp } from '../../ledger/timestamp.ts';

const topicText = /^(?:0x)?([0-9A-Fa-f]{1,64})$/;
const hashText = /^(?:0x)?([0-9A-Fa-f]{64}|[0-9A-Fa-f]{96})$/;

const topicParameter: ParameterCheck = (operator, value) => operator === 'eq' && topicText.test(value);
const transactionHashParameter: ParameterCheck = (operator, value) => operator === 'eq' && hashText.test(value);

export const topicKeys = ['topic0', 'topic1', 'topic2', 'topic3'] as const;
export type TopicKey = (typeof topicKeys)[number];

/** The parameters of the logs of one contract. */
export const contractLogParameters: AcceptedParameters = {
  index: nonNegativeInt8Parameter,
  limit: limitParameter,
  order: orderParameter,
  timestamp: timestampParameter,
  topic0: topicParameter,
  topic1: topicParameter,
  topic2: topicParameter,
  topic3: topicParameter,
};

/** The parameters of the logs of all contracts. */
export const logParameters: AcceptedParameters = {
  ...contractLogParameters,
  'transaction.hash': transactionHashParameter,
};

/** `gte` and `lte` of the same time, and nothing else, as the one time that they leave. */
export const withSingleTime = (filters: readonly Filter[]): readonly Filter[] => {
  const timestamps = allOf(filters, 'timestamp');
  const [first, second] = timestamps;
  if (first === undefined || second === undefined || timestamps.length > 2) return filters;
  const operators = new Set([first.operator, second.operator]);
  const isOneTime = operators.has('gte') && operators.has('lte') && nanosOf(first) === nanosOf(second);
  if (!isOneTime) return filters;
  return [...filters.filter(({ key }) => key !== 'timestamp'), { ...first, operator: 'eq' }];
};

const nanosOf = ({ value }: Filter): Nanos => parseTimestamp(value) as Nanos;

/**
 * Refuses topics without a range of time, since no index holds them.
 * @param maxRangeMs longest range in milliseconds
 * @throws HttpProblem 400
 */
export const checkTopicTimes = (filters: readonly Filter[], maxRangeMs: number): void => {
  if (!filters.some(({ key }) => topicKeys.some((topic) => topic === key))) return;
  try {
    checkTimestamps(timestampBounds(filters), { required: true, strict: true, maxRangeMs });
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    throw badRequest(`Cannot search topics without a valid timestamp range: ${error.message}`);
  }
};

/** As stored: without leading zeros. The zero topic is stored as one zero byte, or none at all. */
const storedTopics = (text: string): readonly Buffer[] => {
  const digits = text.replace(/^0x/, '').padStart(64, '0');
  const trimmed = Buffer.from(trimLeadingZeros(Buffer.from(digits, 'hex')));
  return trimmed.length === 0 ? [trimmed, Buffer.alloc(1)] : [trimmed];
};

export interface LogFilters {
  /** Of the timestamp and, within it, the index. */
  readonly bounds: PairedBounds;
  /** The times within the bounds; undefined when there are none. */
  readonly times: Interval | undefined;
  /** Any of the values, for each topic that is filtered. */
  readonly topics: ReadonlyMap<TopicKey, readonly Buffer[]>;
  /** 32 or 48 bytes. */
  readonly transactionHash: Buffer | undefined;
}

const transactionHashOf = (filters: readonly Filter[]): Buffer | undefined => {
  const [filter, another] = allOf(filters, 'transaction.hash');
  if (another !== undefined) throw badRequest('Only one transaction.hash filter is allowed');
  return filter === undefined ? undefined : Buffer.from(filter.value.replace(/^0x/, ''), 'hex');
};

const timeAndIndex = { primary: 'timestamp', secondary: 'index' } as const;

const boundsOfFilters = (filters: readonly Filter[]): PairedBounds => {
  const hasEquality = (key: string) => allOf(filters, key).some(({ operator }) => operator === 'eq');
  if (hasEquality('index') && !hasEquality('timestamp')) throw badRequest('timestamp must have eq operator');
  return pairedBounds(
    filters.flatMap((filter) =>
      filter.key === 'timestamp'
        ? [{ ...filter, value: nanosOf(filter) }]
        : filter.key === 'index'
          ? [{ ...filter, value: BigInt(filter.value) }]
          : [],
    ),
    timeAndIndex,
  );
};

/** @throws HttpProblem 400 for combinations that name no single stretch of logs */
export const logFilters = (filters: readonly Filter[]): LogFilters => {
  const transactionHash = transactionHashOf(filters);
  const bounds = boundsOfFilters(filters);
  const topics = new Map<TopicKey, readonly Buffer[]>();
  for (const key of topicKeys) {
    const values = allOf(filters, key).flatMap(({ value }) => storedTopics(value));
    if (values.length > 0) topics.set(key, values);
  }
  return { bounds, times: conjunction(timestampBounds(filters)), topics, transactionHash };
};
