/** Instructions that push what the frame or the run knows. */
import { hexToWord } from '../words.ts';
import type { Handler, LoopHost } from './exit.ts';
import { type Frame, STACK_LIMIT } from './frame.ts';

const push =
  (read: (frame: Frame, host: LoopHost) => bigint): Handler =>
  (frame, host) => {
    if (frame.sp === STACK_LIMIT) return 'STACK_OVERFLOW';
    frame.stack[frame.sp] = read(frame, host);
    frame.sp += 1;
    return undefined;
  };

const sinceCancun =
  (handler: Handler): Handler =>
  (frame, host) =>
    host.rules.isCancun ? handler(frame, host) : 'INVALID_OPERATION';

/** There are no blobs: every index reads zero. */
const blobHash: Handler = (frame) => {
  frame.stack[frame.sp - 1] = 0n;
  return undefined;
};

export const environmentHandlers: readonly (readonly [op: number, handler: Handler])[] = [
  [0x30, push(({ address }) => hexToWord(address))],
  [0x32, push((_, { words }) => words.origin)],
  [0x33, push(({ caller }) => hexToWord(caller))],
  [0x34, push(({ value }) => value)],
  [0x36, push(({ input }) => BigInt(input.length))],
  [0x38, push(({ code }) => BigInt(code.code.length))],
  [0x3a, push((_, { words }) => words.gasPrice)],
  [0x3d, push(({ returnData }) => BigInt(returnData.length))],
  [0x41, push((_, { words }) => words.coinbase)],
  [0x42, push((_, { words }) => words.timestamp)],
  [0x43, push((_, { words }) => words.number)],
  [0x44, push((_, { words, rules }) => (rules.hasPrevRandao ? words.prevRandao : 0n))],
  [0x45, push((_, { words }) => words.gasLimit)],
  [0x46, push((_, { words }) => words.chainId)],
  [0x48, push(() => 0n)],
  [0x49, sinceCancun(blobHash)],
  [0x4a, sinceCancun(push(() => 1n))],
  [0x58, push(({ pc }) => BigInt(pc))],
  [0x59, push(({ memory }) => BigInt(memory.size))],
  [0x5a, push(({ gas }) => BigInt(gas))],
];
