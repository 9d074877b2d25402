/**
 * SSTORE ([EIP-2200](https://eips.ethereum.org/EIPS/eip-2200), [EIP-2929](https://eips.ethereum.org/EIPS/eip-2929),
 * [EIP-3529](https://eips.ethereum.org/EIPS/eip-3529)) and transient storage
 * ([EIP-1153](https://eips.ethereum.org/EIPS/eip-1153)). SLOAD is in the loop.
 */
import type { Slot } from '../contract-slots.ts';
import type { Handler } from './exit.ts';

/** What must be left, so that a stipend cannot pay for a write. */
const SENTRY_GAS = 2_300;
const COLD_SLOT_GAS = 2_100;
const WARM_GAS = 100;
const SET_GAS = 20_000;
const RESET_GAS = 2_900;
const CLEAR_REFUND = 4_800;

const writeGas = ({ original, value }: Slot, next: bigint): number => {
  if (value === next || original !== value) return WARM_GAS;
  return original === 0n ? SET_GAS : RESET_GAS;
};

const refundOf = ({ original, value }: Slot, next: bigint): number => {
  if (value === next) return 0;
  if (original === value) return original !== 0n && next === 0n ? CLEAR_REFUND : 0;
  let refund = 0;
  if (original !== 0n) {
    if (value === 0n) refund -= CLEAR_REFUND;
    else if (next === 0n) refund += CLEAR_REFUND;
  }
  if (original === next) refund += (original === 0n ? SET_GAS : RESET_GAS) - WARM_GAS;
  return refund;
};

const store: Handler = (frame, { state }) => {
  if (frame.isStatic) return 'ILLEGAL_STATE_CHANGE';
  if (frame.gas <= SENTRY_GAS) return 'INSUFFICIENT_GAS';
  const slot = frame.slots.find(frame.stack[frame.sp - 1] as bigint) as Slot;
  const next = frame.stack[frame.sp - 2] as bigint;
  const gas = writeGas(slot, next) + (slot.warm ? 0 : COLD_SLOT_GAS);
  if (frame.gas < gas) return 'INSUFFICIENT_GAS';
  frame.gas -= gas;
  frame.sp -= 2;
  if (!slot.warm) frame.slots.warm(slot);
  const refund = refundOf(slot, next);
  if (refund !== 0) state.addRefund(refund);
  if (slot.value !== next || !slot.written) frame.slots.write(slot, next);
  return undefined;
};

const loadTransient: Handler = (frame, { rules, state }) => {
  if (!rules.isCancun) return 'INVALID_OPERATION';
  frame.stack[frame.sp - 1] = state.transient(frame.entityId, frame.stack[frame.sp - 1] as bigint);
  return undefined;
};

const storeTransient: Handler = (frame, { rules, state }) => {
  if (!rules.isCancun) return 'INVALID_OPERATION';
  if (frame.isStatic) return 'ILLEGAL_STATE_CHANGE';
  frame.sp -= 2;
  state.putTransient(frame.entityId, frame.stack[frame.sp + 1] as bigint, frame.stack[frame.sp] as bigint);
  return undefined;
};

export const storageHandlers: readonly (readonly [op: number, handler: Handler])[] = [
  [0x55, store],
  [0x5c, loadTransient],
  [0x5d, storeTransient],
];
