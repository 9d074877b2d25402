/** What a thread is asked to trace and what it answers when it has. */
import type { MessagePort } from 'node:worker_threads';
import type { Status } from '../hapi/operation.ts';
import type { TraceReference } from '../traces/trace-reference.ts';

export interface TraceTask {
  readonly reference: TraceReference;
  readonly stack: boolean;
  readonly memory: boolean;
  readonly storage: boolean;
  /** Takes the pieces of the answer's text. */
  readonly port: MessagePort;
}

export type TraceAnswer =
  /** Everything was sent, or nobody wanted it any more. */
  | { readonly kind: 'traced' }
  | { readonly kind: 'not-found'; readonly message: string }
  /** It ended before the EVM began. */
  | { readonly kind: 'not-executed'; readonly status: Status };
