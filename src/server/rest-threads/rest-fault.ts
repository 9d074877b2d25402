/** Errors of handlers on their way between threads. */
import { HttpProblem } from '../../api/problem.ts';
import { isKagamiError, KagamiError } from '../../errors/kagami-error.ts';
import type { RestFault } from './rest-task.ts';

export const faultOf = (error: unknown): RestFault => {
  if (error instanceof HttpProblem) {
    const { status, messages, headers } = error;
    return { kind: 'problem', status, messages, headers };
  }
  if (isKagamiError(error)) return { kind: 'kagami', code: error.code, message: error.message };
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { kind: 'other', message, stack };
};

export const errorOf = (fault: RestFault): Error => {
  if (fault.kind === 'problem') return new HttpProblem(fault.status, fault.messages, { headers: fault.headers });
  if (fault.kind === 'kagami') return new KagamiError(fault.code, fault.message);
  const error = new Error(fault.message);
  if (fault.stack !== undefined) error.stack = fault.stack;
  return error;
};
