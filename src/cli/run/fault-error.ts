/** Errors that crossed a thread's border, as errors again. */
import { KagamiError } from '../../errors/kagami-error.ts';
import type { Fault } from '../../importer/pipeline/fault.ts';

export const errorOfFault = ({ code, message, stack }: Fault): Error => {
  const error = code === 'UNEXPECTED' ? new Error(message) : new KagamiError(code, message);
  if (stack !== undefined) error.stack = stack;
  return error;
};
