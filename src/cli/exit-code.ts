/** What the exit codes of `kagami` mean; scripts may rely on them. */
import { isKagamiError } from '../errors/kagami-error.ts';
import type { ErrorCode } from '../errors/registry.ts';

export const exitCodes = {
  success: 0,
  /** Something failed that none of the others names, or a check found faults. */
  failure: 1,
  /** The command line or the configuration is wrong. */
  usage: 2,
  /** Stream files are missing, damaged or not proven. */
  stream: 3,
  /** The database cannot be used. */
  database: 4,
  /** Stopped by Ctrl-C or SIGTERM before it was done. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export const exitCodeHelp = `Exit codes:
  0    done; of kagami start also: stopped as asked
  1    failed, or a check found faults
  2    the command line or the configuration is wrong
  3    stream files are missing, damaged or not proven
  4    the database cannot be used
  130  stopped by Ctrl-C or SIGTERM before it was done`;

/** Codes that say something else than others of their beginning. */
const exceptions: Readonly<Partial<Record<ErrorCode, ExitCode>>> = {
  ADDRESS_BOOK_MISSING: exitCodes.usage,
  RECORD_ITEM_UNDECODABLE: exitCodes.stream,
  SIMULATOR_MIX_INVALID: exitCodes.usage,
  SOURCE_UNSUPPORTED: exitCodes.usage,
};

const byPrefix: readonly (readonly [string, ExitCode])[] = [
  ['CONFIG_', exitCodes.usage],
  ['STREAM_', exitCodes.stream],
  ['SOURCE_', exitCodes.stream],
  ['DATABASE_', exitCodes.database],
  ['SCHEMA_', exitCodes.database],
  ['MIGRATION_', exitCodes.database],
  ['EMBEDDED_', exitCodes.database],
  ['DATA_FOLDER_', exitCodes.database],
  ['WRITER_', exitCodes.database],
];

/** The exit code for an error that ended a command. */
export const exitCodeOf = (error: unknown): ExitCode => {
  if (!isKagamiError(error)) return exitCodes.failure;
  return exceptions[error.code] ?? byPrefix.find(([prefix]) => error.code.startsWith(prefix))?.[1] ?? exitCodes.failure;
};
