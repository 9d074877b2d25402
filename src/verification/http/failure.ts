/** How whatever is thrown becomes an answer. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isKagamiError } from '../../errors/kagami-error.ts';
import type { ErrorCode } from '../../errors/registry.ts';
import { problem, VerificationProblem } from './problem.ts';

/** The part of a logger that is needed here. */
export interface VerificationLog {
  error(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** Status, and what the second interface calls it. */
const known: Partial<Record<ErrorCode, readonly [number, string]>> = {
  COMPILER_FAILED: [400, 'compiler_error'],
  COMPILER_OUT_OF_MEMORY: [400, 'compiler_out_of_memory'],
  COMPILER_TIMEOUT: [400, 'compiler_timeout'],
  COMPILER_UNAVAILABLE: [400, 'unsupported_compiler_version'],
  COMPILER_UNREACHABLE: [503, 'internal_error'],
  EXPLORER_NOT_CONFIGURED: [400, 'etherscan_request_failed'],
  EXPLORER_UNREACHABLE: [502, 'etherscan_request_failed'],
  EXPLORER_FAILED: [502, 'etherscan_request_failed'],
  EXPLORER_RATE_LIMITED: [429, 'etherscan_limit'],
  EXPLORER_NOT_VERIFIED: [404, 'not_etherscan_verified'],
  EXPLORER_MALFORMED: [400, 'malformed_etherscan_response'],
  VERIFICATION_BUSY: [503, 'too_many_requests'],
  VERIFICATION_CLIENT_BUSY: [429, 'too_many_requests'],
  VERIFICATION_INPUT_INVALID: [400, 'invalid_parameter'],
  VERIFICATION_NO_SUCH_CONTRACT: [400, 'contract_not_found_in_compiler_output'],
  VERIFICATION_NOTHING_NEW: [400, 'invalid_parameter'],
  VERIFICATION_RUNNING: [429, 'duplicate_verification_request'],
  VERIFICATION_SESSION_EMPTY: [400, 'invalid_parameter'],
  VERIFICATION_SESSION_FULL: [413, 'invalid_parameter'],
  VERIFICATION_SESSIONS_FULL: [503, 'too_many_requests'],
  VERIFICATION_TIMEOUT: [504, 'compiler_timeout'],
};

const secondsToWait = '5';

interface Failure {
  readonly problem: VerificationProblem;
  readonly unexpected: boolean;
}

const statusOf = (error: unknown): number | undefined => (error as { statusCode?: number } | null)?.statusCode;

/** What goes wrong inside is logged and told to nobody else. */
export const failureOf = (error: unknown): Failure => {
  if (error instanceof VerificationProblem) return { problem: error, unexpected: false };
  if (isKagamiError(error)) {
    const [status, customCode] = known[error.code] ?? [];
    if (status !== undefined) return { problem: problem(status, error.message, customCode), unexpected: false };
    if (error.retryable) {
      return {
        problem: problem(503, 'The service is not available at the moment.', 'internal_error'),
        unexpected: true,
      };
    }
  }
  const status = statusOf(error);
  if (status === 413) return { problem: problem(413, 'request entity too large'), unexpected: false };
  if (status !== undefined && status >= 400 && status < 500) {
    return { problem: problem(status, (error as Error).message), unexpected: false };
  }
  return { problem: problem(500, 'Internal error', 'internal_error'), unexpected: true };
};

/** How an interface shows failures. */
export interface FailureForm {
  readonly status: (found: VerificationProblem) => number;
  readonly body: (found: VerificationProblem) => object;
}

/** As the problem has it: the form of the first interface. */
export const v1Failure: FailureForm = { status: ({ status }) => status, body: ({ body }) => body };

/** Answers a failure. */
export const createFailureHandler =
  (log: VerificationLog, form: FailureForm) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if ((error as { code?: string }).code === 'FST_REQ_FILE_TOO_LARGE') {
      return reply.code(413).type('text/plain; charset=utf-8').send('File size limit has been reached');
    }
    const { problem: found, unexpected } = failureOf(error);
    if (unexpected) log.error({ err: error, url: request.url }, 'verification request failed');
    if (found.status === 503 || found.status === 429) reply.header('retry-after', secondsToWait);
    return reply.code(form.status(found)).send(form.body(found));
  };
