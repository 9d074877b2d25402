/** CALL, CALLCODE, DELEGATECALL, STATICCALL, CREATE and CREATE2. */
import { RLP } from '@ethereumjs/rlp';
import type { AddressHex } from '../state/records.ts';
import { isLongZero } from '../state/world.ts';
import type { CallingMachine, FrameResult } from './calling-machine.ts';
import { HaltError } from './halts.ts';
import type { Frame } from './interpreter/frame.ts';
import { INIT_CODE_WORD_GAS, wordsOf } from './intrinsic-gas.ts';
import { bytesToHex, hexToBytes, hexToWord, wordToAddress, wordToBytes } from './words.ts';

const COLD_ADDRESS_GAS = 2_600;
export const WARM_ADDRESS_GAS = 100;
const VALUE_GAS = 9_000;
const STIPEND = 2_300;
export const NEW_ACCOUNT_GAS = 25_000;
const CREATE_GAS = 32_000;
const HASH_WORD_GAS = 6;
/** Frames above the first. */
const DEEPEST = 1_024;
const MOST_NONCE = 2n ** 64n - 1n;

const CALL = 0xf1;
const CALLCODE = 0xf2;
const DELEGATECALL = 0xf4;
const STATICCALL = 0xfa;
const CREATE2 = 0xf5;

const NOTHING = new Uint8Array();

/** Takes gas off the frame. @throws HaltError INSUFFICIENT_GAS. */
export const charge = (frame: Frame, amount: number): void => {
  if (frame.gas < amount) throw new HaltError('INSUFFICIENT_GAS');
  frame.gas -= amount;
};

export const growMemory = (frame: Frame, offset: number, length: number): void => {
  if (length === 0) return;
  const left = frame.memory.grow(offset + length, frame.gas);
  if (left < 0) throw new HaltError('INSUFFICIENT_GAS');
  frame.gas = left;
};

/** Gas of an access to an account, which is cheap from the second one on. */
export const addressGas = (machine: CallingMachine, address: AddressHex): number =>
  machine.state.isWarm(address) || machine.tools.precompiles.isPrecompile(address)
    ? WARM_ADDRESS_GAS
    : COLD_ADDRESS_GAS;

/** Charges an access and remembers it. */
export const accessAddress = (machine: CallingMachine, frame: Frame, address: AddressHex): void => {
  charge(frame, addressGas(machine, address));
  machine.state.warm(address);
};

const ownBalance = async (machine: CallingMachine, frame: Frame): Promise<bigint> => {
  const { accounts, state } = machine.run;
  return accounts.spendable(await state.world.entity(frame.entityId));
};

/** All but a 64th of what is left. */
const mostForChild = (gas: number): number => gas - Math.floor(gas / 64);

/** A halt that takes callers down goes on. */
const passOn = (result: FrameResult): void => {
  if (result.haltsCallers > 0) throw new HaltError(result.outcome as HaltError['reason'], result.haltsCallers - 1);
};

/**
 * [EIP-7702](https://eips.ethereum.org/EIPS/eip-7702): an account that delegates to a contract makes that one accessed,
 * too. Precompiled contracts don't delegate, and their calls may be so cheap that looking would be most of them.
 */
const chargeDelegation = async (machine: CallingMachine, frame: Frame, target: AddressHex): Promise<void> => {
  if (machine.tools.precompiles.isPrecompile(target)) return;
  const delegate = (await machine.run.accounts.find(target))?.delegationAddress;
  if (delegate !== undefined) accessAddress(machine, frame, delegate);
};

export const executeCall = async (machine: CallingMachine, frame: Frame, op: number): Promise<void> => {
  const { stack } = frame;
  const takesValue = op === CALL || op === CALLCODE;
  const requested = Number(stack[frame.sp - 1]);
  const target = wordToAddress(stack[frame.sp - 2] as bigint);
  const value = takesValue ? (stack[frame.sp - 3] as bigint) : 0n;
  const arguments_ = frame.sp - (takesValue ? 4 : 3);
  const [inputOffset, inputLength, outputOffset, outputLength] = [0, 1, 2, 3].map((i) =>
    Number(stack[arguments_ - i]),
  ) as [number, number, number, number];
  if (op === CALL && frame.isStatic && value > 0n) throw new HaltError('ILLEGAL_STATE_CHANGE');

  const gasBefore = frame.gas;
  growMemory(frame, inputOffset, inputLength);
  growMemory(frame, outputOffset, outputLength);
  const callGas =
    addressGas(machine, target) +
    (value > 0n ? VALUE_GAS : 0) +
    (op === CALL && value > 0n && (await machine.run.accounts.isEmpty(target)) ? NEW_ACCOUNT_GAS : 0);
  charge(frame, callGas);
  machine.state.warm(target);
  const mayBecomeAccount = op === CALL && value > 0n && machine.rules.createsHollowAccounts && !isLongZero(target);
  if (!mayBecomeAccount && !(await machine.run.accounts.isPresent(target))) {
    throw new HaltError('INVALID_SOLIDITY_ADDRESS');
  }
  await chargeDelegation(machine, frame, target);
  const gasCost = gasBefore - frame.gas;
  const forwarded = Math.min(requested, mostForChild(frame.gas));
  frame.gas -= forwarded;
  const childGas = forwarded + (value > 0n ? STIPEND : 0);
  frame.returnData = NOTHING;
  const resume = (succeeded: boolean): void => {
    frame.sp -= takesValue ? 6 : 5;
    stack[frame.sp - 1] = succeeded ? 1n : 0n;
    frame.pc += 1;
  };
  if (frame.depth >= DEEPEST || (value > 0n && (await ownBalance(machine, frame)) < value)) {
    frame.gas += childGas;
    resume(false);
    return;
  }
  await machine.run.tracing?.step(frame, { op, pc: frame.pc, gas: frame.gas, gasCost });
  const isDelegate = op === DELEGATECALL;
  const runsHere = isDelegate || op === CALLCODE;
  const result = await machine.call({
    caller: isDelegate ? frame.caller : frame.address,
    recipient: runsHere ? frame.address : target,
    target,
    value: isDelegate ? frame.value : value,
    movesValue: op === CALL,
    input: frame.memory.read(inputOffset, inputLength),
    gas: childGas,
    isStatic: frame.isStatic || op === STATICCALL,
    depth: frame.depth + 1,
  });
  frame.gas += result.gasLeft;
  passOn(result);
  frame.returnData = result.output;
  if (outputLength > 0) {
    frame.memory.copyFrom(outputOffset, result.output, 0, Math.min(outputLength, result.output.length));
  }
  resume(result.outcome === 'success');
};

const addressOfCreation = (machine: CallingMachine, frame: Frame, nonce: bigint): AddressHex =>
  bytesToHex(machine.keccak(RLP.encode([hexToBytes(frame.address), nonce]))).slice(24);

const addressOfCreation2 = (machine: CallingMachine, frame: Frame, salt: bigint, initCode: Uint8Array): AddressHex =>
  bytesToHex(
    machine.keccak(
      Buffer.concat([new Uint8Array([0xff]), hexToBytes(frame.address), wordToBytes(salt), machine.keccak(initCode)]),
    ),
  ).slice(24);

export const executeCreate = async (machine: CallingMachine, frame: Frame, op: number): Promise<void> => {
  if (frame.isStatic) throw new HaltError('ILLEGAL_STATE_CHANGE');
  const { stack, sp } = frame;
  const { world } = machine.state;
  const hasSalt = op === CREATE2;
  const value = stack[sp - 1] as bigint;
  const length = Number(stack[sp - 3]);
  const offset = length === 0 ? 0 : Number(stack[sp - 2]);
  const gasBefore = frame.gas;
  const wordGas = (machine.rules.isCancun ? INIT_CODE_WORD_GAS : 0) + (hasSalt ? HASH_WORD_GAS : 0);
  charge(frame, CREATE_GAS + wordsOf(length) * wordGas);
  growMemory(frame, offset, length);
  const gasCost = gasBefore - frame.gas;
  frame.returnData = NOTHING;
  const resume = (created: bigint): void => {
    frame.sp -= hasSalt ? 3 : 2;
    stack[frame.sp - 1] = created;
    frame.pc += 1;
  };
  const found = await world.entity(frame.entityId);
  if (found === undefined || frame.depth >= DEEPEST || machine.run.accounts.spendable(found) < value) {
    resume(0n);
    return;
  }
  const creator = await world.withNonce(found);
  if (creator.nonce >= MOST_NONCE) {
    resume(0n);
    return;
  }
  const initCode = frame.memory.read(offset, length);
  const address = hasSalt
    ? addressOfCreation2(machine, frame, stack[sp - 4] as bigint, initCode)
    : addressOfCreation(machine, frame, creator.nonce);
  world.putEntity({ ...creator, nonce: creator.nonce + 1n });
  machine.state.warm(address);
  const forwarded = mostForChild(frame.gas);
  frame.gas -= forwarded;
  await machine.run.tracing?.step(frame, { op, pc: frame.pc, gas: frame.gas, gasCost });
  const result = await machine.create({
    caller: frame.address,
    address,
    value,
    initCode,
    gas: forwarded,
    depth: frame.depth + 1,
  });
  frame.gas += result.gasLeft;
  passOn(result);
  if (result.outcome === 'revert') frame.returnData = result.output;
  resume(result.outcome === 'success' ? hexToWord(address) : 0n);
};
