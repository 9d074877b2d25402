/** The forms in which system contracts answer. */

import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import type { Status } from '../hapi/operation.ts';
import { concatBytes, integerWord } from './abi/encode.ts';
import type { FunctionCall } from './function-call.ts';
import type { EndedFunction, FunctionResult } from './function-table.ts';
import type { EmittedLog, HaltReason } from './system-contract.ts';

/** HAPI number of a status as one word. */
const statusWord = (status: Status): Uint8Array => integerWord(BigInt(ResponseCodeEnum[status]));

/** Status number, then words that are encoded already. */
export const statusWords = (status: Status, ...words: readonly Uint8Array[]): Uint8Array =>
  concatBytes(statusWord(status), ...words);

export const succeeded = (output: Uint8Array, logs: readonly EmittedLog[] = []): EndedFunction => ({
  outcome: 'success',
  output,
  status: 'SUCCESS',
  logs,
});

/**
 * A frame that succeeds with a status, whether or not the operation did. Of a classic function: missing signatures are
 * reported as INVALID_FULL_PREFIX_SIGNATURE_FOR_PRECOMPILE.
 */
export const answered = (status: Status, ...words: readonly Uint8Array[]): EndedFunction => ({
  outcome: 'success',
  output: statusWords(
    status === 'INVALID_SIGNATURE' ? 'INVALID_FULL_PREFIX_SIGNATURE_FOR_PRECOMPILE' : status,
    ...words,
  ),
  status,
});

/** A revert whose data is the status number in one word. */
export const revertedWithOrdinal = (status: Status): EndedFunction => ({
  outcome: 'revert',
  output: statusWord(status),
  status,
});

/** A revert whose data is the name of the status in ASCII. */
export const revertedWithName = (status: Status): EndedFunction => ({
  outcome: 'revert',
  output: new TextEncoder().encode(status),
  status,
});

/** A view that found no answer: a status and default values, or in a static frame a revert with the status's name. */
export const viewRefused = (call: FunctionCall, status: Status, ...defaults: readonly Uint8Array[]): EndedFunction =>
  call.isStatic ? revertedWithName(status) : { outcome: 'success', output: statusWords(status, ...defaults), status };

export const halted = (reason: HaltReason): FunctionResult => ({ outcome: 'halt', reason });
