import { failedToConvert, valuesOf } from '../../api/java-parameters.ts';
import { reasonedProblem } from '../../api/problem.ts';
import type { JavaParameter } from '../../api/resource/java-parameter.ts';
import type { RawQuery } from '../../api/route.ts';
import { MAX_NANOS, NANOS_PER_SECOND } from '../../ledger/timestamp.ts';

/** An inclusive range of consensus timestamps in nanoseconds. */
export interface TimestampBounds {
  readonly lower: bigint;
  readonly upper: bigint;
  /** Whether a parameter set the end; otherwise it is the end of all time. */
  readonly lowerGiven: boolean;
  readonly upperGiven: boolean;
}

const most = 2;
const valuePattern = /^(?:(eq|gte?|lte?|ne):)?(\d{1,17})(?:\.(\d{1,9}))?$/i;

/**
 * Reads the `timestamp` parameters of files and supply. A plain value or `eq` means "as of", so it bounds from above;
 * the last value of each direction counts. Other than elsewhere, the fraction is a plain count of nanoseconds: `1.5` is
 * one second and five nanoseconds.
 */
export const timestampBounds = (query: RawQuery): TimestampBounds => {
  const values = valuesOf(query, 'timestamp').filter((value) => value !== '');
  if (values.length > most) throw reasonedProblem(400, `timestamp size must be between 0 and ${most}`);
  let lower: bigint | undefined;
  let upper: bigint | undefined;
  for (const value of values) {
    const match = valuePattern.exec(value);
    const seconds = match?.[2];
    const operator = match?.[1]?.toLowerCase() ?? 'eq';
    if (seconds === undefined || operator === 'ne') throw failedToConvert('timestamp');
    const nanos = BigInt(seconds) * NANOS_PER_SECOND + BigInt(match?.[3] ?? '0');
    if (nanos > MAX_NANOS) throw failedToConvert('timestamp');
    if (operator === 'gt') lower = nanos === MAX_NANOS ? nanos : nanos + 1n;
    else if (operator === 'gte') lower = nanos;
    else if (operator === 'lt') upper = nanos - 1n;
    else upper = nanos;
  }
  return {
    lower: lower ?? 0n,
    upper: upper ?? MAX_NANOS,
    lowerGiven: lower !== undefined,
    upperGiven: upper !== undefined,
  };
};

/** The `timestamp` parameters as `timestampBounds` reads them. */
export const timestamps: JavaParameter<TimestampBounds> = {
  read: timestampBounds,
  doc: {
    description:
      'Consensus timestamp as seconds.nanoseconds, with an operator before a colon; plain or `eq`: as of then. At most ' +
      'two, for a range.',
    schema: {
      type: 'array',
      maxItems: most,
      items: { type: 'string', pattern: '^((eq|gte?|lte?):)?\\d{1,17}(\\.\\d{1,9})?$' },
    },
    example: ['lte:1586567700.453054000'],
  },
};
