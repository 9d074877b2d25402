import type { AddressHex } from '../state/records.ts';
import type { SystemCall } from './system-contract.ts';

export interface FunctionCall extends SystemCall {
  /** Address that a redirect is for; undefined on the direct route. */
  readonly target: AddressHex | undefined;
}

/** A function that ended with output. */
