import { type ErrorCode, errorRegistry } from './registry.ts';

export interface KagamiErrorOptions {
  /** Facts that locate the fault: file name, byte offset, setting name, block number. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** The one error class: a stable `code` from the registry, whether a retry can help, and what the operator can do. */
export class KagamiError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly hint: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: KagamiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'KagamiError';
    this.code = code;
    this.retryable = errorRegistry[code].retryable;
    this.hint = errorRegistry[code].hint;
    this.details = options.details ?? {};
  }
}

/** True when `error` is a KagamiError, and of the given code if one is named. */
export const isKagamiError = (error: unknown, code?: ErrorCode): error is KagamiError =>
  error instanceof KagamiError && (code === undefined || error.code === code);
