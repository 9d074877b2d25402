import { KagamiError } from '../errors/kagami-error.ts';
import type { ErrorCode } from '../errors/registry.ts';

/** Where and why a stream file was refused. Offsets count bytes of the uncompressed content unless `rule` says otherwise. */
export interface StreamFault {
  readonly file: string;
  readonly offset?: number;
  readonly rule: string;
  readonly [fact: string]: unknown;
}

type StreamErrorCode = Extract<ErrorCode, `STREAM_${string}` | `SOURCE_${string}`>;

/** Builds the error that refuses a stream file; its details are `fault`, its message names file, rule and offset. */
export const streamError = (code: StreamErrorCode, fault: StreamFault, cause?: unknown): KagamiError => {
  const place = fault.offset === undefined ? '' : ` (at byte ${fault.offset})`;
  return new KagamiError(code, `${fault.file}: ${fault.rule}${place}`, {
    details: fault,
    ...(cause === undefined ? {} : { cause }),
  });
};
