import type { KagamiError } from '../errors/kagami-error.ts';
import { streamError } from '../streams/stream-error.ts';

/** What the client library's errors carry, as far as it matters here. */
interface ServiceFault {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const DENIALS: ReadonlySet<string> = new Set([
  'AccessDenied',
  'AuthorizationHeaderMalformed',
  'CredentialsProviderError',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidSecurity',
  'PermanentRedirect',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
  'UserProjectAccessDenied',
  'UserProjectMissing',
]);

const statusOf = (error: unknown): number => (error as ServiceFault).$metadata?.httpStatusCode ?? 0;
const nameOf = (error: unknown): string => (error as ServiceFault).name ?? '';

/** Whether the store answered that there is no such object. */
export const isMissingObject = (error: unknown): boolean => statusOf(error) === 404 && nameOf(error) !== 'NoSuchBucket';

/** Whether the same request may succeed a moment later: faults of the network and of the store itself. */
export const isPassingFault = (error: unknown): boolean => {
  const status = statusOf(error);
  if (status >= 500 || status === 429 || status === 408) return true;
  return status < 300 && !DENIALS.has(nameOf(error));
};

/** The fault in our words; `subject` is the bucket or the object's key. */
export const sourceFailure = (subject: string, error: unknown): KagamiError => {
  const status = statusOf(error);
  const { message = '', code } = error as ServiceFault;
  const name = nameOf(error);
  const said = `${code ?? name}${message === '' ? '' : `: ${message}`}`;
  if (name === 'NoSuchBucket') return streamError('SOURCE_BUCKET_MISSING', { file: subject, rule: said }, error);
  if (status === 401 || status === 403 || DENIALS.has(name)) {
    return streamError('SOURCE_ACCESS_DENIED', { file: subject, rule: `the store refuses access (${said})` }, error);
  }
  const rule = status === 0 ? `the store cannot be reached (${said})` : `the store answers ${status} (${said})`;
  return streamError('SOURCE_UNREADABLE', { file: subject, rule }, error);
};

export const timeoutFailure = (subject: string, timeoutMs: number, cause: unknown): KagamiError =>
  streamError('SOURCE_TIMEOUT', { file: subject, rule: `no whole answer within ${timeoutMs} ms` }, cause);
