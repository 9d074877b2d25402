/** Why frames end without a result, and the HAPI status that a top-level failure shows. */
import type { Status } from '../hapi/operation.ts';
import type { HaltReason } from '../system-contracts/system-contract.ts';

export type Halt =
  | HaltReason
  | 'STACK_UNDERFLOW'
  | 'STACK_OVERFLOW'
  | 'INVALID_JUMP_DESTINATION'
  | 'RETURN_DATA_OUT_OF_BOUNDS'
  | 'ADDRESS_COLLISION'
  | 'CODE_TOO_LARGE'
  | 'INVALID_CODE'
  | 'INVALID_SOLIDITY_ADDRESS'
  | 'INVALID_ALIAS_KEY'
  | 'SELF_DESTRUCT_TO_SELF'
  | 'CONTRACT_HOLDS_TOKENS';

/** Stops a frame, and `callers` frames above it, and burns their gas. */
export class HaltError extends Error {
  readonly reason: Halt;
  readonly callers: number;

  constructor(reason: Halt, callers: number = callersHaltedBy(reason)) {
    super(reason);
    this.name = 'HaltError';
    this.reason = reason;
    this.callers = callers;
  }
}

/** How many callers go down with a frame that halts for this reason. */
const callersHaltedBy = (reason: Halt): number => {
  if (reason === 'INVALID_CONTRACT_ID' || reason === 'MAX_CHILD_RECORDS_EXCEEDED') return Number.POSITIVE_INFINITY;
  return reason === 'INVALID_SIGNATURE' ? 1 : 0;
};

const statuses: Readonly<Partial<Record<Halt, Status>>> = {
  INSUFFICIENT_GAS: 'INSUFFICIENT_GAS',
  ADDRESS_COLLISION: 'INSUFFICIENT_GAS',
  ILLEGAL_STATE_CHANGE: 'LOCAL_CALL_MODIFICATION_EXCEPTION',
  SELF_DESTRUCT_TO_SELF: 'OBTAINER_SAME_CONTRACT_ID',
  INVALID_SOLIDITY_ADDRESS: 'INVALID_SOLIDITY_ADDRESS',
  INVALID_ALIAS_KEY: 'INVALID_ALIAS_KEY',
  INVALID_SIGNATURE: 'INVALID_SIGNATURE',
  INVALID_CONTRACT_ID: 'INVALID_CONTRACT_ID',
  MAX_CHILD_RECORDS_EXCEEDED: 'MAX_CHILD_RECORDS_EXCEEDED',
};

/** Status of a run whose first frame halted. */
export const statusOf = (reason: Halt): Status => statuses[reason] ?? 'CONTRACT_EXECUTION_EXCEPTION';

/** Names that a revert may carry as its whole data to become the status itself. */
const revertStatuses: readonly Status[] = [
  'MAX_CONTRACT_STORAGE_EXCEEDED',
  'MAX_STORAGE_IN_PRICE_REGIME_HAS_BEEN_USED',
  'INSUFFICIENT_GAS',
  'INVALID_CONTRACT_ID',
  'MAX_CHILD_RECORDS_EXCEEDED',
  'INSUFFICIENT_TX_FEE',
  'INSUFFICIENT_PAYER_BALANCE',
  'CONTRACT_EXECUTION_EXCEPTION',
];

/** Status of a run whose first frame reverted with this data. */
export const revertStatusOf = (data: Uint8Array): Status => {
  if (data.length < 16 || data.length > 48) return 'CONTRACT_REVERT_EXECUTED';
  const text = String.fromCharCode(...data);
  return revertStatuses.find((status) => status === text) ?? 'CONTRACT_REVERT_EXECUTED';
};
