/** What the thread of the listeners and those that answer REST requests send each other. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ProblemMessage } from '../../api/problem.ts';
import type { AuthenticatedUser, RawQuery } from '../../api/route.ts';
import type { RestSettings } from '../../config/settings/rest.ts';
import type { RestJavaSettings } from '../../config/settings/restjava.ts';
import type { DatabaseOptions } from '../../database/connection.ts';
import type { ErrorCode } from '../../errors/registry.ts';

/** With what a thread starts. */
export interface RestWorkerData {
  readonly database: DatabaseOptions;
  readonly rest: RestSettings;
  readonly restJava: RestJavaSettings;
  readonly shard: bigint;
  readonly realm: bigint;
}

/** One request that has come as far as its handler. */
export interface RestTask {
  readonly id: number;
  /** Place of the route among the REST routes. */
  readonly route: number;
  readonly path: string;
  readonly query: RawQuery;
  readonly linkPrefix: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly user: AuthenticatedUser | undefined;
  readonly body: Uint8Array | undefined;
  readonly client: string;
  readonly int64Texts: boolean;
}

/** An answer as it is kept (api/http/answer-cache.ts), without what the listeners' thread knows. */
export interface RestMade {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly entityTag: string | undefined;
  readonly body: Uint8Array;
  /** Milliseconds. */
  readonly keepMs: number;
}

/** What a handler threw, as far as it can be sent. */
export type RestFault =
  | {
      readonly kind: 'problem';
      readonly status: number;
      readonly messages: readonly ProblemMessage[];
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'kagami'; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: 'other'; readonly message: string; readonly stack: string | undefined };

export type RestOutcome =
  | { readonly id: number; readonly made: RestMade }
  | { readonly id: number; readonly fault: RestFault };

export type RestOrder =
  | { readonly kind: 'tasks'; readonly tasks: readonly RestTask[] }
  /** To be answered at once. */
  | { readonly kind: 'ping' }
  | { readonly kind: 'stop' };

export type RestReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'pong' }
  | { readonly kind: 'outcomes'; readonly outcomes: readonly RestOutcome[] };
