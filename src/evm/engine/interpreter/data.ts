/** Instructions that move bytes: copies, single bytes, logs; and EXP, whose gas depends on its operand. */
import type { Halt } from '../halts.ts';
import { wordToBytes } from '../words.ts';
import { byteLength, power } from './arithmetic.ts';
import type { Handler } from './exit.ts';
import type { Frame } from './frame.ts';

const COPY_WORD_GAS = 3;
const EXPONENT_BYTE_GAS = 50;
const LOG_BYTE_GAS = 8;

/** Takes gas off; false when there is too little. */
const charge = (frame: Frame, amount: number): boolean => {
  if (frame.gas < amount) return false;
  frame.gas -= amount;
  return true;
};

/** Pays for memory up to `offset` + `length`; a range without bytes costs nothing wherever it lies. */
const grow = (frame: Frame, offset: number, length: number): boolean => {
  if (length === 0) return true;
  const left = frame.memory.grow(offset + length, frame.gas);
  if (left < 0) return false;
  frame.gas = left;
  return true;
};

const word = (frame: Frame, depth: number): number => Number(frame.stack[frame.sp - depth]);

/** Copies from `source` to memory: operands target, source offset, length. */
const copy = (frame: Frame, source: Uint8Array): Halt | undefined => {
  const target = word(frame, 1);
  const from = word(frame, 2);
  const length = word(frame, 3);
  if (!charge(frame, COPY_WORD_GAS * Math.ceil(length / 32)) || !grow(frame, target, length)) return 'INSUFFICIENT_GAS';
  frame.sp -= 3;
  frame.memory.copyFrom(target, source, Math.min(from, source.length), length);
  return undefined;
};

const returnDataCopy: Handler = (frame) =>
  word(frame, 2) + word(frame, 3) > frame.returnData.length
    ? 'RETURN_DATA_OUT_OF_BOUNDS'
    : copy(frame, frame.returnData);

const memoryCopy: Handler = (frame, { rules }) => {
  if (!rules.isCancun) return 'INVALID_OPERATION';
  const target = word(frame, 1);
  const from = word(frame, 2);
  const length = word(frame, 3);
  if (!charge(frame, COPY_WORD_GAS * Math.ceil(length / 32)) || !grow(frame, Math.max(target, from), length)) {
    return 'INSUFFICIENT_GAS';
  }
  frame.sp -= 3;
  if (length > 0) frame.memory.bytes.copyWithin(target, from, from + length);
  return undefined;
};

const storeByte: Handler = (frame) => {
  const offset = word(frame, 1);
  if (!grow(frame, offset, 1)) return 'INSUFFICIENT_GAS';
  frame.memory.bytes[offset] = Number(BigInt.asUintN(8, frame.stack[frame.sp - 2] as bigint));
  frame.sp -= 2;
  return undefined;
};

const exponentiate: Handler = (frame) => {
  const exponent = frame.stack[frame.sp - 2] as bigint;
  if (!charge(frame, EXPONENT_BYTE_GAS * byteLength(exponent))) return 'INSUFFICIENT_GAS';
  frame.stack[frame.sp - 2] = power(frame.stack[frame.sp - 1] as bigint, exponent);
  frame.sp -= 1;
  return undefined;
};

const log =
  (topicCount: number): Handler =>
  (frame, { state }) => {
    if (frame.isStatic) return 'ILLEGAL_STATE_CHANGE';
    const offset = word(frame, 1);
    const length = word(frame, 2);
    if (!charge(frame, LOG_BYTE_GAS * length) || !grow(frame, offset, length)) return 'INSUFFICIENT_GAS';
    const topics: Uint8Array[] = [];
    for (let i = 0; i < topicCount; i += 1) topics.push(wordToBytes(frame.stack[frame.sp - 3 - i] as bigint));
    frame.sp -= topicCount + 2;
    state.addLog({ address: frame.address, topics, data: frame.memory.read(offset, length) });
    return undefined;
  };

export const dataHandlers: readonly (readonly [op: number, handler: Handler])[] = [
  [0x0a, exponentiate],
  [0x37, (frame) => copy(frame, frame.input)],
  [0x39, (frame) => copy(frame, frame.code.code)],
  [0x3e, returnDataCopy],
  [0x53, storeByte],
  [0x5e, memoryCopy],
  [0xa0, log(0)],
  [0xa1, log(1)],
  [0xa2, log(2)],
  [0xa3, log(3)],
  [0xa4, log(4)],
];
