/** The filters of logs: where in time and within a transaction, topics, and the hash of the transaction. */
import { conjunction, type Interval } from '../../api/bounds.ts';
import { type PairedBounds, pairedBounds } from '../../api/paired-bounds.ts';
import { nonNegativeInt8Parameter } from '../../api/parameter-checks.ts';
import { badRequest, HttpProblem } from '../../api/problem.ts';
import { allOf, type Filter, type ParameterCheck } from '../../api/query.ts';
import { filters, order, timestamps } from '../../api/resource/parameter.ts';
import { checkTimestamps, timestampBounds } from '../../api/timestamp-filter.ts';
import { trimLeadingZeros } from '../../ledger/bytes.ts';
import { type Nanos, parseTimestamp } from '../../ledger/timestamp.ts';
import { blockLimit } from './block-page.ts';

const topicText = /^(?:0x)?([0-9A-Fa-f]{1,64})$/;
const hashText = /^(?:0x)?([0-9A-Fa-f]{64}|[0-9A-Fa-f]{96})$/;

const topicParameter: ParameterCheck = (operator, value) => operator === 'eq' && topicText.test(value);
const transactionHashParameter: ParameterCheck = (operator, value) => operator === 'eq' && hashText.test(value);

export const topicKeys = ['topic0', 'topic1', 'topic2', 'topic3'] as const;
export type TopicKey = (typeof topicKeys)[number];

/** Documentation of an index within a block or transaction. */
export const indexDoc = (description: string) => ({
  description,
  schema: { type: 'array', items: { type: 'string', pattern: '^((gte?|lte?|eq):)?\\d{1,10}$' } },
  example: ['gte:1'],
});

const topic = filters(topicParameter, {
  description: 'A topic in hex. Several mean any of them. Needs a timestamp or a range of at most seven days.',
  schema: { type: 'array', items: { type: 'string', pattern: '^(eq:)?(0x)?[0-9A-Fa-f]{1,64}$' } },
  example: ['0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'],
});

/** The parameters of the logs of one contract. What the filters among them mean together is read by `logFilters`. */
export const contractLogParameters = {
  index: filters(
    nonNegativeInt8Parameter,
    indexDoc(
      'Position of the log within its block, at the bounds of the timestamp: needs a timestamp with `eq`, or with `gte` for a lower and `lte` for an upper bound.',
    ),
  ),
  limit: blockLimit,
  order: order('desc'),
  timestamp: timestamps,
  topic0: topic,
  topic1: topic,
  topic2: topic,
  topic3: topic,
};

/** The parameters of the logs of all contracts. */
export const logParameters = {
  ...contractLogParameters,
  'transaction.hash': filters(transactionHashParameter, {
    description: 'Only logs of the transaction with this hash: 32 bytes in hex, or all 48.',
    schema: { type: 'string', pattern: '^(eq:)?(0x)?([0-9A-Fa-f]{64}|[0-9A-Fa-f]{96})$' },
    example: '0x9db63968721fc76815d11b0b97734669bf88ae3810e07c199924553f0548eb98',
  }),
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
