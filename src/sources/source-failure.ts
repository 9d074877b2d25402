import { isKagamiError, type KagamiError } from '../errors/kagami-error.ts';
import type { ErrorCode } from '../errors/registry.ts';

const FAILURES: ReadonlySet<ErrorCode> = new Set([
  'SOURCE_UNREADABLE',
  'SOURCE_TIMEOUT',
  'SOURCE_ACCESS_DENIED',
  'SOURCE_BUCKET_MISSING',
]);

/** Whether a source, or a node's part of it, couldn't be read: says nothing about the files. */
export const isSourceFailure = (error: unknown): error is KagamiError =>
  isKagamiError(error) && FAILURES.has(error.code);
