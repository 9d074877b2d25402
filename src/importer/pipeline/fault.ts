import { isKagamiError } from '../../errors/kagami-error.ts';
import type { Fault } from './importer-messages.ts';

/** An error in the form that crosses the threads' border; what is no KagamiError is a fault of the program. */
export const faultOf = (error: unknown): Fault => {
  const known = isKagamiError(error);
  return {
    code: known ? error.code : 'UNEXPECTED',
    message: error instanceof Error ? error.message : String(error),
    hint: known ? error.hint : 'This is a fault of Kagami: report it with the message.',
    retryable: known && error.retryable,
    stack: error instanceof Error ? error.stack : undefined,
  };
};
