/** What a request for a trace may say. */
import { reasonedProblem } from '../../api/problem.ts';
import type { RestRequest } from '../../api/route.ts';
import { parseTraceReference, type TraceReference } from '../traces/trace-reference.ts';

export interface TraceParameters {
  readonly reference: TraceReference;
  readonly stack: boolean;
  readonly memory: boolean;
  readonly storage: boolean;
}

const truths = new Map([
  ['true', true],
  ['false', false],
  ['on', true],
  ['off', false],
  ['yes', true],
  ['no', false],
  ['1', true],
  ['0', false],
]);

const flagOf = ({ query }: RestRequest, name: string, byDefault: boolean): boolean => {
  const text = query.findLast(([key]) => key.toLowerCase() === name)?.[1];
  if (text === undefined || text === '') return byDefault;
  const value = truths.get(text.trim().toLowerCase());
  if (value === undefined) throw reasonedProblem(400, `Failed to convert '${name}' with value: '${text}'`);
  return value;
};

/** @throws HttpProblem 400 */
export const readTraceParameters = (request: RestRequest): TraceParameters => {
  const text = request.pathParameters.transactionIdOrHash ?? '';
  if (text === '') throw reasonedProblem(400, 'Missing transaction ID or hash');
  const reference = parseTraceReference(text);
  if (reference === undefined) throw reasonedProblem(400, `Unsupported ID format: '${text}'`);
  return {
    reference,
    stack: flagOf(request, 'stack', true),
    memory: flagOf(request, 'memory', false),
    storage: flagOf(request, 'storage', false),
  };
};
