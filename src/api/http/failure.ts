/** What the client is told when a handler throws: problems as they are, faults of the database and our own as 503 and 500. */
import { isKagamiError } from '../../errors/kagami-error.ts';
import type { ErrorCode } from '../../errors/registry.ts';
import { HttpProblem, reasonedProblem } from '../problem.ts';
import type { RouteFlavour } from '../route.ts';

/** Details of outages, by code. Never the error's own message, which may name hosts and users. */
const outages: Partial<Readonly<Record<ErrorCode, string | undefined>>> = {
  SCHEMA_NOT_READY: 'The database has no schema yet. It is served as soon as the migrations have run.',
  DATABASE_STARTING: 'The database is being started.',
  DATABASE_UNAVAILABLE: 'The database cannot be reached.',
  DATABASE_MISSING: 'The database does not exist.',
  DATABASE_ACCESS_DENIED: 'The database refuses access.',
  DATABASE_FULL: 'The database lacks resources.',
  DATABASE_CONFLICT: undefined,
  DATABASE_TIMEOUT: undefined,
};

export interface Failure {
  readonly problem: HttpProblem;
  /** True when it is a fault of ours that the log must show, not a refusal or an outage. */
  readonly unexpected: boolean;
}

const clientStatusOf = (error: unknown): number | undefined => {
  const status = (error as { readonly statusCode?: unknown } | null | undefined)?.statusCode;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
};

/** The problem to answer with when `error` was thrown while a request of that flavour was served. */
export const failureOf = (error: unknown, flavour: RouteFlavour): Failure => {
  if (error instanceof HttpProblem) return { problem: error, unexpected: error.status === 500 };
  if (isKagamiError(error) && error.code in outages) {
    return { problem: reasonedProblem(503, flavour === 'web3' ? undefined : outages[error.code]), unexpected: false };
  }
  const status = clientStatusOf(error);
  if (status !== undefined) return { problem: reasonedProblem(status), unexpected: false };
  const problem = flavour === 'js' ? new HttpProblem(500, [{ message: 'Internal error' }]) : reasonedProblem(500);
  return { problem, unexpected: true };
};
