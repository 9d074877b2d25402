/** Instructions that end a frame, need the host, are invalid, or are too rare to be written out in the loop. */
import type { Halt } from '../halts.ts';
import { dataHandlers } from './data.ts';
import { environmentHandlers } from './environment.ts';
import type { Exit, Handler, LoopHost } from './exit.ts';
import type { Frame } from './frame.ts';
import { storageHandlers } from './storage.ts';

const handlers = new Array<Handler | undefined>(256);
for (const [op, handler] of [...dataHandlers, ...environmentHandlers, ...storageHandlers]) handlers[op] = handler;

/** BALANCE, EXTCODE*, BLOCKHASH, SELFBALANCE, calls, creations, SELFDESTRUCT. */
const HOST_OPERATIONS = new Set([0x31, 0x3b, 0x3c, 0x3f, 0x40, 0x47, 0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa, 0xff]);

const STOP = 0x00;
const SLOAD = 0x54;
const SSTORE = 0x55;
const RETURN = 0xf3;
const REVERT = 0xfd;

const takeOutput = (frame: Frame, exit: 'returned' | 'reverted'): Exit => {
  const length = Number(frame.stack[frame.sp - 2]);
  const offset = length === 0 ? 0 : Number(frame.stack[frame.sp - 1]);
  if (length > 0) {
    const left = frame.memory.grow(offset + length, frame.gas);
    if (left < 0) return 'INSUFFICIENT_GAS';
    frame.gas = left;
  }
  frame.sp -= 2;
  frame.output = frame.memory.read(offset, length);
  return exit;
};

/** Executes the instruction at the frame's position; the frame is at the next one when it says `stepped`. */
export const executeRare = (frame: Frame, host: LoopHost, op: number): Exit => {
  if (op === STOP) return 'returned';
  if (op === RETURN) return takeOutput(frame, 'returned');
  if (op === REVERT) return takeOutput(frame, 'reverted');
  const handler = handlers[op];
  if (handler !== undefined) {
    if (op === SSTORE && !frame.isStatic && frame.slots.find(frame.stack[frame.sp - 1] as bigint) === undefined) {
      return 'host';
    }
    const halt: Halt | undefined = handler(frame, host);
    if (halt !== undefined) return halt;
    frame.pc += 1;
    return 'stepped';
  }
  return HOST_OPERATIONS.has(op) ? 'host' : 'INVALID_OPERATION';
};

/** Whether the host is asked only for a slot's stored value. */
export const awaitsSlot = (op: number): boolean => op === SLOAD || op === SSTORE;
