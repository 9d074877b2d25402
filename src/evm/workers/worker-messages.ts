/** What the serving thread and the threads that execute contracts say to each other. */
import { isKagamiError, KagamiError } from '../../errors/kagami-error.ts';
import type { ErrorCode } from '../../errors/registry.ts';

/** In the order of sending: a task is executed on what was announced before it. */
export type Order<Task> =
  /** The first: a shared cell in which the number of a task stands once that task is to make room for others. */
  | { readonly kind: 'interruptions'; readonly cell: Int32Array<SharedArrayBuffer> }
  | {
      readonly kind: 'task';
      readonly id: number;
      readonly task: Task;
      /** Milliseconds since the epoch, since each thread's own clock begins with it. */
      readonly deadline: number;
    }
  | { readonly kind: 'block-committed' }
  | { readonly kind: 'stop' };

export interface Fault {
  /** Absent for what nobody raised on purpose. */
  readonly code: ErrorCode | undefined;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export type Reply<Answer> =
  /** The thread has been started: the first it says. */
  | { readonly kind: 'ready' }
  | (Ending & { readonly kind: 'answer'; readonly answer: Answer })
  | (Ending & { readonly kind: 'fault'; readonly fault: Fault })
  /** It was interrupted: nothing came of it, and it can begin anew. */
  | (Ending & { readonly kind: 'interrupted' });

interface Ending {
  readonly id: number;
  /** Milliseconds of processor time that the task took. */
  readonly cpuMs: number;
}

/** Details may hold what cannot change threads; numbers and texts are what locates a fault. */
const plainDetails = (details: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(details).filter(([, value]) => ['string', 'number', 'bigint', 'boolean'].includes(typeof value)),
  );

export const faultOf = (error: unknown): Fault => {
  if (isKagamiError(error)) {
    return { code: error.code, message: error.message, details: plainDetails(error.details) };
  }
  const stack = error instanceof Error ? error.stack : undefined;
  return {
    code: undefined,
    message: error instanceof Error ? error.message : String(error),
    details: stack === undefined ? {} : { stack },
  };
};

export const errorOfFault = ({ code, message, details }: Fault): Error =>
  new KagamiError(code ?? 'SIMULATION_FAILED', message, { details });
