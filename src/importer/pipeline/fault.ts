import { isKagamiError, type KagamiError } from '../../errors/kagami-error.ts';
import { type ErrorCode, errorRegistry } from '../../errors/registry.ts';

/** An error as it crosses the threads' border. */
export interface Fault {
  readonly code: KagamiError['code'] | 'UNEXPECTED';
  readonly message: string;
  readonly hint: string;
  readonly retryable: boolean;
  readonly stack: string | undefined;
}

const OWN_FAULT_HINT = 'This is a fault of Kagami: report it with the message.';

/** What to do about a code as a fault carries it. */
export const hintOf = (code: string): string =>
  Object.hasOwn(errorRegistry, code) ? errorRegistry[code as ErrorCode].hint : OWN_FAULT_HINT;

/** An error in the form that crosses the threads' border; what is no KagamiError is a fault of the program. */
export const faultOf = (error: unknown): Fault => {
  const known = isKagamiError(error);
  return {
    code: known ? error.code : 'UNEXPECTED',
    message: error instanceof Error ? error.message : String(error),
    hint: known ? error.hint : OWN_FAULT_HINT,
    retryable: known && error.retryable,
    stack: error instanceof Error ? error.stack : undefined,
  };
};
