/** Faults of threads as clients hear of them. */
import { HttpProblem, reasonedProblem } from '../../api/problem.ts';
import { isKagamiError } from '../../errors/kagami-error.ts';

/** The problem to answer with, or the error itself where it is none of the threads'. */
export const threadProblem = (error: unknown): unknown => {
  if (isKagamiError(error, 'SIMULATION_TIMEOUT')) return reasonedProblem(503);
  if (isKagamiError(error, 'SIMULATION_CLIENT_BUSY')) {
    const { messages } = reasonedProblem(429, 'Too many long calls at once');
    return new HttpProblem(429, messages, { headers: { 'retry-after': '1' }, cause: error });
  }
  if (isKagamiError(error, 'SIMULATION_BUSY') || isKagamiError(error, 'SIMULATION_STOPPED')) {
    return new HttpProblem(503, reasonedProblem(503).messages, { headers: { 'retry-after': '1' }, cause: error });
  }
  return error;
};
