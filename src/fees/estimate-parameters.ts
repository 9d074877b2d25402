import { failedToConvert, valuesOf } from '../api/java-parameters.ts';
import { reasonedProblem } from '../api/problem.ts';
import type { OpenApiParameter, RawQuery } from '../api/route.ts';
import { FULL_LANE } from './high-volume.ts';

export type EstimateMode = 'intrinsic' | 'state';

export interface EstimateParameters {
  readonly mode: EstimateMode;
  /** Of the high-volume lane, in basis points. */
  readonly utilization: bigint;
}

const modeName = 'mode';
const throttleName = 'high_volume_throttle';
const largestInt = 2_147_483_647n;

/** The first value of a parameter; undefined when it is absent or blank. */
const firstValue = (query: RawQuery, name: string): string | undefined => {
  const value = valuesOf(query, name)[0]?.trim();
  return value === '' ? undefined : value;
};

const modeOf = (query: RawQuery): EstimateMode => {
  const mode = firstValue(query, modeName)?.toLowerCase() ?? 'intrinsic';
  if (mode !== 'intrinsic' && mode !== 'state') throw failedToConvert(modeName);
  return mode;
};

const utilizationOf = (query: RawQuery): bigint => {
  const text = firstValue(query, throttleName) ?? '0';
  const value = /^[+-]?\d{1,10}$/.test(text) ? BigInt(text.replace('+', '')) : undefined;
  if (value === undefined || value > largestInt || value < -largestInt - 1n) throw failedToConvert(throttleName);
  if (value < 0n) throw reasonedProblem(400, 'highVolumeThrottle must be greater than or equal to 0');
  if (value > FULL_LANE) throw reasonedProblem(400, `highVolumeThrottle must be less than or equal to ${FULL_LANE}`);
  return value;
};

/** Unknown parameters are ignored. @throws HttpProblem 400 */
export const estimateParameters = (query: RawQuery): EstimateParameters => ({
  mode: modeOf(query),
  utilization: utilizationOf(query),
});

export const estimateParameterDocs: readonly OpenApiParameter[] = [
  {
    name: modeName,
    in: 'query',
    description:
      'What to look at, in any letter case: the transaction alone (intrinsic), or also what the ledger knows of its ' +
      'tokens, topic and receivers, and the high-volume lane (state).',
    schema: { type: 'string', enum: ['INTRINSIC', 'STATE'], default: 'INTRINSIC' },
  },
  {
    name: throttleName,
    in: 'query',
    description: 'How full the high-volume lane is taken to be, in basis points. Counts in state mode only.',
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: Number(FULL_LANE), default: 0 },
  },
];
