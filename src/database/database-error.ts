/** Turns what the driver and PostgreSQL report into KagamiErrors whose `retryable` can be relied on. */

import { isKagamiError, KagamiError } from '../errors/kagami-error.ts';
import type { ErrorCode } from '../errors/registry.ts';

const codesByState: Readonly<Record<string, ErrorCode>> = {
  '57014': 'DATABASE_TIMEOUT', // query_canceled
  '55P03': 'DATABASE_TIMEOUT', // lock_not_available
  '25P03': 'DATABASE_TIMEOUT', // idle_in_transaction_session_timeout
  '25P04': 'DATABASE_TIMEOUT', // transaction_timeout
  '42P01': 'SCHEMA_NOT_READY', // undefined_table
  '3F000': 'SCHEMA_NOT_READY', // invalid_schema_name
  '3D000': 'DATABASE_MISSING', // invalid_catalog_name
  '42501': 'DATABASE_ACCESS_DENIED', // insufficient_privilege
  '25006': 'DATABASE_ACCESS_DENIED', // read_only_sql_transaction
  '53300': 'DATABASE_UNAVAILABLE', // too_many_connections
  '57P01': 'DATABASE_UNAVAILABLE', // admin_shutdown
  '57P02': 'DATABASE_UNAVAILABLE', // crash_shutdown
  '57P03': 'DATABASE_UNAVAILABLE', // cannot_connect_now
  '57P05': 'DATABASE_UNAVAILABLE', // idle_session_timeout
};

const codesByClass: Readonly<Record<string, ErrorCode>> = {
  '08': 'DATABASE_UNAVAILABLE',
  '28': 'DATABASE_ACCESS_DENIED',
  '40': 'DATABASE_CONFLICT',
  '53': 'DATABASE_FULL',
};

const socketFaults = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
]);

/** Faults that the driver reports by message alone. */
const connectionMessages =
  /connection terminated|connection ended|timeout exceeded when trying to connect|client has encountered a connection error|not queryable|cannot use a pool after calling end|client was closed|SSL connection|connection timeout|query read timeout/i;

interface ServerFault {
  readonly code?: unknown;
  readonly severity?: unknown;
  readonly table?: unknown;
  readonly column?: unknown;
  readonly constraint?: unknown;
  readonly where?: unknown;
  readonly detail?: unknown;
  readonly position?: unknown;
}

const codeOf = (state: string, fromServer: boolean, message: string): ErrorCode => {
  if (fromServer) return codesByState[state] ?? codesByClass[state.slice(0, 2)] ?? 'DATABASE_QUERY_FAILED';
  if (socketFaults.has(state) || connectionMessages.test(message)) return 'DATABASE_UNAVAILABLE';
  return 'DATABASE_QUERY_FAILED';
};

/**
 * The KagamiError for a fault of the driver or the server; KagamiErrors pass unchanged.
 * `details.sqlState` holds the five-character SQLSTATE where the server gave one.
 */
export const databaseError = (fault: unknown): KagamiError => {
  if (isKagamiError(fault)) return fault;
  // A host name with several addresses, none of which answers, gives an AggregateError.
  const first = fault instanceof AggregateError && fault.errors.length > 0 ? fault.errors[0] : fault;
  const message = first instanceof Error && first.message !== '' ? first.message : String(first);
  const server = (first ?? {}) as ServerFault;
  const state = typeof server.code === 'string' ? server.code : '';
  const fromServer = typeof server.severity === 'string' && /^[0-9A-Z]{5}$/.test(state);
  const details: Record<string, unknown> = fromServer ? { sqlState: state } : {};
  if (fromServer) {
    for (const name of ['table', 'column', 'constraint', 'where', 'detail', 'position'] as const) {
      if (server[name] !== undefined && server[name] !== '') details[name] = server[name];
    }
  } else if (state !== '') details.code = state;
  return new KagamiError(codeOf(state, fromServer, message), message, { details, cause: fault });
};
