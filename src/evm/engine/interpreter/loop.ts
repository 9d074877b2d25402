/**
 * The synchronous heart of the interpreter: runs a frame until it ends or needs something that has to be waited for.
 * The frame's counters live in locals meanwhile and are put back whenever the loop is left.
 */
import { MAX_WORD, paddedSlice, readWord, viewOf, WORD_LIMIT } from '../words.ts';
import * as arithmetic from './arithmetic.ts';
import type { Exit, LoopHost } from './exit.ts';
import { type Frame, STACK_LIMIT } from './frame.ts';
import { checksOperandsFirst, NEEDS, STATIC_GAS } from './opcodes.ts';
import { executeRare } from './rare.ts';

/** Jumps between two looks at the clock. */
const JUMPS_PER_SLICE = 20_000;

const COLD_SLOT_GAS = 2_100;
const WARM_SLOT_GAS = 100;

/** Words of two bytes, which most pushes push. */
const small: readonly bigint[] = Array.from({ length: 65_536 }, (_, value) => BigInt(value));

const decodeConstant = (bytes: Uint8Array, offset: number, length: number): bigint => {
  let word = 0n;
  let at = offset;
  for (let left = length; left > 0; ) {
    const take = Math.min(left, 6);
    let chunk = 0;
    for (let i = 0; i < take; i += 1) chunk = chunk * 256 + (bytes[at + i] as number);
    word = (word << BigInt(take * 8)) | BigInt(chunk);
    at += take;
    left -= take;
  }
  return word;
};

/** Runs the frame on; with `single` for one instruction only. */
export const interpret = (frame: Frame, host: LoopHost, single: boolean): Exit => {
  const { stack, memory } = frame;
  const { bytes: code, jumps, constants } = frame.code;
  let { pc, sp, gas } = frame;
  let jumpsLeft = JUMPS_PER_SLICE;
  let exit: Exit = 'stepped';

  do {
    const op = code[pc] as number;
    if (sp < (NEEDS[op] as number)) {
      exit = !checksOperandsFirst(op) && gas < (STATIC_GAS[op] as number) ? 'INSUFFICIENT_GAS' : 'STACK_UNDERFLOW';
      break;
    }
    gas -= STATIC_GAS[op] as number;
    if (gas < 0) {
      gas += STATIC_GAS[op] as number;
      exit = 'INSUFFICIENT_GAS';
      break;
    }
    switch (op) {
      // ADD
      case 0x01: {
        sp -= 1;
        const sum = (stack[sp] as bigint) + (stack[sp - 1] as bigint);
        stack[sp - 1] = sum > MAX_WORD ? sum - WORD_LIMIT : sum;
        pc += 1;
        continue;
      }
      case 0x02: // MUL
        sp -= 1;
        stack[sp - 1] = BigInt.asUintN(256, (stack[sp] as bigint) * (stack[sp - 1] as bigint));
        pc += 1;
        continue;
      // SUB
      case 0x03: {
        sp -= 1;
        const difference = (stack[sp] as bigint) - (stack[sp - 1] as bigint);
        stack[sp - 1] = difference < 0n ? difference + WORD_LIMIT : difference;
        pc += 1;
        continue;
      }
      // DIV
      case 0x04: {
        sp -= 1;
        const divisor = stack[sp - 1] as bigint;
        stack[sp - 1] = divisor === 0n ? 0n : (stack[sp] as bigint) / divisor;
        pc += 1;
        continue;
      }
      case 0x05: // SDIV
        sp -= 1;
        stack[sp - 1] = arithmetic.signedDivide(stack[sp] as bigint, stack[sp - 1] as bigint);
        pc += 1;
        continue;
      // MOD
      case 0x06: {
        sp -= 1;
        const divisor = stack[sp - 1] as bigint;
        stack[sp - 1] = divisor === 0n ? 0n : (stack[sp] as bigint) % divisor;
        pc += 1;
        continue;
      }
      case 0x07: // SMOD
        sp -= 1;
        stack[sp - 1] = arithmetic.signedModulo(stack[sp] as bigint, stack[sp - 1] as bigint);
        pc += 1;
        continue;
      case 0x08: // ADDMOD
      // MULMOD
      case 0x09: {
        sp -= 2;
        const operation = op === 0x08 ? arithmetic.addModulo : arithmetic.multiplyModulo;
        stack[sp - 1] = operation(stack[sp + 1] as bigint, stack[sp] as bigint, stack[sp - 1] as bigint);
        pc += 1;
        continue;
      }
      case 0x0b: // SIGNEXTEND
        sp -= 1;
        stack[sp - 1] = arithmetic.signExtend(stack[sp] as bigint, stack[sp - 1] as bigint);
        pc += 1;
        continue;
      case 0x10: // LT
        sp -= 1;
        stack[sp - 1] = (stack[sp] as bigint) < (stack[sp - 1] as bigint) ? 1n : 0n;
        pc += 1;
        continue;
      case 0x11: // GT
        sp -= 1;
        stack[sp - 1] = (stack[sp] as bigint) > (stack[sp - 1] as bigint) ? 1n : 0n;
        pc += 1;
        continue;
      case 0x12: // SLT
        sp -= 1;
        stack[sp - 1] = arithmetic.signedLess(stack[sp] as bigint, stack[sp - 1] as bigint) ? 1n : 0n;
        pc += 1;
        continue;
      case 0x13: // SGT
        sp -= 1;
        stack[sp - 1] = arithmetic.signedLess(stack[sp - 1] as bigint, stack[sp] as bigint) ? 1n : 0n;
        pc += 1;
        continue;
      case 0x14: // EQ
        sp -= 1;
        stack[sp - 1] = stack[sp] === stack[sp - 1] ? 1n : 0n;
        pc += 1;
        continue;
      case 0x15: // ISZERO
        stack[sp - 1] = stack[sp - 1] === 0n ? 1n : 0n;
        pc += 1;
        continue;
      case 0x16: // AND
        sp -= 1;
        stack[sp - 1] = (stack[sp] as bigint) & (stack[sp - 1] as bigint);
        pc += 1;
        continue;
      case 0x17: // OR
        sp -= 1;
        stack[sp - 1] = (stack[sp] as bigint) | (stack[sp - 1] as bigint);
        pc += 1;
        continue;
      case 0x18: // XOR
        sp -= 1;
        stack[sp - 1] = (stack[sp] as bigint) ^ (stack[sp - 1] as bigint);
        pc += 1;
        continue;
      case 0x19: // NOT
        stack[sp - 1] = MAX_WORD - (stack[sp - 1] as bigint);
        pc += 1;
        continue;
      case 0x1a: // BYTE
        sp -= 1;
        stack[sp - 1] = arithmetic.byteAt(stack[sp] as bigint, stack[sp - 1] as bigint);
        pc += 1;
        continue;
      // SHL
      case 0x1b: {
        sp -= 1;
        const shift = stack[sp] as bigint;
        stack[sp - 1] = shift > 255n ? 0n : BigInt.asUintN(256, (stack[sp - 1] as bigint) << shift);
        pc += 1;
        continue;
      }
      // SHR
      case 0x1c: {
        sp -= 1;
        const shift = stack[sp] as bigint;
        stack[sp - 1] = shift > 255n ? 0n : (stack[sp - 1] as bigint) >> shift;
        pc += 1;
        continue;
      }
      case 0x1d: // SAR
        sp -= 1;
        stack[sp - 1] = arithmetic.arithmeticShiftRight(stack[sp] as bigint, stack[sp - 1] as bigint);
        pc += 1;
        continue;
      // KECCAK256
      case 0x20: {
        const length = Number(stack[sp - 2]);
        const offset = length === 0 ? 0 : Number(stack[sp - 1]);
        gas -= 6 * Math.ceil(length / 32);
        if (gas >= 0 && length > 0) gas = memory.grow(offset + length, gas);
        if (gas < 0) {
          exit = 'INSUFFICIENT_GAS';
          break;
        }
        sp -= 1;
        stack[sp - 1] = readWord(viewOf(host.keccak(memory.peek(offset, length))), 0);
        pc += 1;
        continue;
      }
      // CALLDATALOAD
      case 0x35: {
        const offset = stack[sp - 1] as bigint;
        const { input } = frame;
        stack[sp - 1] = offset >= input.length ? 0n : readWord(viewOf(paddedSlice(input, Number(offset), 32)), 0);
        pc += 1;
        continue;
      }
      case 0x50: // POP
        sp -= 1;
        pc += 1;
        continue;
      // MLOAD
      case 0x51: {
        const offset = Number(stack[sp - 1]);
        if (offset + 32 > memory.size) {
          gas = memory.grow(offset + 32, gas);
          if (gas < 0) {
            exit = 'INSUFFICIENT_GAS';
            break;
          }
        }
        stack[sp - 1] = memory.readWord(offset);
        pc += 1;
        continue;
      }
      // MSTORE
      case 0x52: {
        const offset = Number(stack[sp - 1]);
        if (offset + 32 > memory.size) {
          gas = memory.grow(offset + 32, gas);
          if (gas < 0) {
            exit = 'INSUFFICIENT_GAS';
            break;
          }
        }
        sp -= 2;
        memory.writeWord(offset, stack[sp] as bigint);
        pc += 1;
        continue;
      }
      // SLOAD
      case 0x54: {
        const key = stack[sp - 1] as bigint;
        const slot = frame.slots.find(key);
        if (slot === undefined) {
          exit = 'host';
          break;
        }
        gas -= slot.warm ? WARM_SLOT_GAS : COLD_SLOT_GAS;
        if (gas < 0) {
          exit = 'INSUFFICIENT_GAS';
          break;
        }
        if (!slot.warm) frame.slots.warm(slot);
        stack[sp - 1] = slot.value;
        pc += 1;
        continue;
      }
      // JUMP
      case 0x56: {
        sp -= 1;
        const target = Number(stack[sp]);
        if (target >= jumps.length || jumps[target] !== 1) {
          exit = 'INVALID_JUMP_DESTINATION';
          break;
        }
        pc = target;
        jumpsLeft -= 1;
        if (jumpsLeft > 0) continue;
        exit = 'paused';
        break;
      }
      // JUMPI
      case 0x57: {
        sp -= 2;
        if (stack[sp] === 0n) {
          pc += 1;
          continue;
        }
        const target = Number(stack[sp + 1]);
        if (target >= jumps.length || jumps[target] !== 1) {
          exit = 'INVALID_JUMP_DESTINATION';
          break;
        }
        pc = target;
        jumpsLeft -= 1;
        if (jumpsLeft > 0) continue;
        exit = 'paused';
        break;
      }
      case 0x5b: // JUMPDEST
        pc += 1;
        continue;
      case 0x5f: // PUSH0
        if (!host.rules.hasPush0) {
          exit = 'INVALID_OPERATION';
          break;
        }
        if (sp === STACK_LIMIT) {
          exit = 'STACK_OVERFLOW';
          break;
        }
        stack[sp] = 0n;
        sp += 1;
        pc += 1;
        continue;
      case 0x60: // PUSH1
        if (sp === STACK_LIMIT) {
          exit = 'STACK_OVERFLOW';
          break;
        }
        stack[sp] = small[code[pc + 1] as number] as bigint;
        sp += 1;
        pc += 2;
        continue;
      case 0x61: // PUSH2
        if (sp === STACK_LIMIT) {
          exit = 'STACK_OVERFLOW';
          break;
        }
        stack[sp] = small[(code[pc + 1] as number) * 256 + (code[pc + 2] as number)] as bigint;
        sp += 1;
        pc += 3;
        continue;
      default:
        if (op >= 0x80 && op <= 0x8f) {
          if (sp === STACK_LIMIT) {
            exit = 'STACK_OVERFLOW';
            break;
          }
          stack[sp] = stack[sp - op + 0x7f] as bigint;
          sp += 1;
          pc += 1;
          continue;
        }
        if (op >= 0x90 && op <= 0x9f) {
          const other = sp - op + 0x8e;
          const top = stack[sp - 1] as bigint;
          stack[sp - 1] = stack[other] as bigint;
          stack[other] = top;
          pc += 1;
          continue;
        }
        if (op >= 0x62 && op <= 0x7f) {
          if (sp === STACK_LIMIT) {
            exit = 'STACK_OVERFLOW';
            break;
          }
          let constant = constants[pc];
          if (constant === undefined) {
            constant = decodeConstant(code, pc + 1, op - 0x5f);
            constants[pc] = constant;
          }
          stack[sp] = constant;
          sp += 1;
          pc += op - 0x5e;
          continue;
        }
        frame.pc = pc;
        frame.sp = sp;
        frame.gas = gas;
        exit = executeRare(frame, host, op);
        ({ pc, sp, gas } = frame);
        if (exit === 'stepped') continue;
    }
    break;
  } while (!single);

  frame.pc = pc;
  frame.sp = sp;
  frame.gas = gas;
  return exit;
};
