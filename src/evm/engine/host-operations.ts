/** Instructions that ask the ledger: balances, code of others, block hashes, calls, creations, self-destruction. */
import { isSystemAccount } from './accounts.ts';
import type { CallingMachine } from './calling-machine.ts';
import {
  accessAddress,
  addressGas,
  charge,
  executeCall,
  executeCreate,
  growMemory,
  NEW_ACCOUNT_GAS,
  WARM_ADDRESS_GAS,
} from './calls.ts';
import { HaltError } from './halts.ts';
import { type Frame, STACK_LIMIT } from './interpreter/frame.ts';
import { wordsOf } from './intrinsic-gas.ts';
import { readWord, viewOf, wordToAddress } from './words.ts';

const COPY_WORD_GAS = 3;
const BLOCK_HASH_GAS = 20;
const SELF_BALANCE_GAS = 5;
const SELF_DESTRUCT_GAS = 5_000;
const COLD_ADDRESS_GAS = 2_600;

/**
 * Charges an access and refuses addresses that name nothing, where the version wants an entity. What is answered without
 * looking costs as much as a second access, however often, and leaves the address as cold as it was.
 */
const accessOperand = async (
  machine: CallingMachine,
  frame: Frame,
  hides: 'hidesBalance' | 'hidesCode',
): Promise<string> => {
  const address = wordToAddress(frame.stack[frame.sp - 1] as bigint);
  if (machine.run.accounts[hides](address)) {
    charge(frame, WARM_ADDRESS_GAS);
    return address;
  }
  accessAddress(machine, frame, address);
  if (!(await machine.run.accounts.isPresent(address))) throw new HaltError('INVALID_SOLIDITY_ADDRESS');
  return address;
};

const replaceTop = (frame: Frame, word: bigint): void => {
  frame.stack[frame.sp - 1] = word;
  frame.pc += 1;
};

const balance = async (machine: CallingMachine, frame: Frame): Promise<void> =>
  replaceTop(frame, await machine.run.accounts.visibleBalance(await accessOperand(machine, frame, 'hidesBalance')));

const codeSize = async (machine: CallingMachine, frame: Frame): Promise<void> => {
  const code = await machine.run.accounts.visibleCode(await accessOperand(machine, frame, 'hidesCode'));
  replaceTop(frame, BigInt(code?.length ?? 0));
};

const codeHash = async (machine: CallingMachine, frame: Frame): Promise<void> => {
  const code = await machine.run.accounts.visibleCode(await accessOperand(machine, frame, 'hidesCode'));
  replaceTop(frame, code === undefined ? 0n : readWord(viewOf(machine.keccak(code)), 0));
};

const codeCopy = async (machine: CallingMachine, frame: Frame): Promise<void> => {
  const [target, from, length] = [2, 3, 4].map((depth) => Number(frame.stack[frame.sp - depth])) as [
    number,
    number,
    number,
  ];
  charge(frame, COPY_WORD_GAS * wordsOf(length));
  growMemory(frame, target, length);
  const code = await machine.run.accounts.visibleCode(await accessOperand(machine, frame, 'hidesCode'));
  const bytes = code ?? new Uint8Array();
  frame.memory.copyFrom(target, bytes, Math.min(from, bytes.length), length);
  frame.sp -= 4;
  frame.pc += 1;
};

/** Known for every block up to the current one, however old. */
const blockHash = async (machine: CallingMachine, frame: Frame): Promise<void> => {
  charge(frame, BLOCK_HASH_GAS);
  const number = frame.stack[frame.sp - 1] as bigint;
  const hash = number > machine.words.number ? undefined : await machine.run.environment.blockHash(number);
  replaceTop(frame, hash === undefined ? 0n : readWord(viewOf(hash), 0));
};

const selfBalance = async (machine: CallingMachine, frame: Frame): Promise<void> => {
  charge(frame, SELF_BALANCE_GAS);
  if (frame.sp === STACK_LIMIT) throw new HaltError('STACK_OVERFLOW');
  frame.sp += 1;
  replaceTop(frame, (await machine.state.world.entity(frame.entityId))?.balance ?? 0n);
};

/** What keeps a beneficiary from being one. */
const refuseBeneficiary = async (machine: CallingMachine, address: string): Promise<void> => {
  const { accounts } = machine.run;
  const entity = await accounts.find(address);
  const isSystem = machine.rules.hasSystemAccountRules && isSystemAccount(address);
  if (isSystem || entity === undefined || entity.type === 'TOKEN' || entity.type === 'SCHEDULE') {
    throw new HaltError('INVALID_SOLIDITY_ADDRESS');
  }
};

const selfDestruct = async (machine: CallingMachine, frame: Frame): Promise<void> => {
  const { accounts, state } = machine.run;
  const beneficiary = wordToAddress(frame.stack[frame.sp - 1] as bigint);
  await refuseBeneficiary(machine, beneficiary);
  if (frame.isStatic) throw new HaltError('ILLEGAL_STATE_CHANGE');
  const own = (await state.world.entity(frame.entityId))?.balance ?? 0n;
  const isCold = addressGas(machine, beneficiary) === COLD_ADDRESS_GAS;
  const feedsEmpty = own > 0n && (await accounts.isEmpty(beneficiary));
  charge(frame, SELF_DESTRUCT_GAS + (isCold ? COLD_ADDRESS_GAS : 0) + (feedsEmpty ? NEW_ACCOUNT_GAS : 0));
  state.warm(beneficiary);
  if (beneficiary === frame.address) throw new HaltError('SELF_DESTRUCT_TO_SELF');
  if ((await state.world.accountCounts(frame.entityId)).positiveBalances > 0) {
    throw new HaltError('CONTRACT_HOLDS_TOKENS');
  }
  await machine.moveAll(frame.address, beneficiary, own);
  if (!machine.rules.isCancun || state.created.has(frame.entityId)) state.addDestroyed(frame.entityId);
  frame.sp -= 1;
};

/**
 * Executes an instruction that the loop left to the host.
 * @returns `ended` when it ends the frame.
 * @throws HaltError
 */
export const executeHostOperation = async (
  machine: CallingMachine,
  frame: Frame,
  op: number,
): Promise<'ended' | 'continued'> => {
  switch (op) {
    case 0x31: // BALANCE
      await balance(machine, frame);
      break;
    case 0x3b: // EXTCODESIZE
      await codeSize(machine, frame);
      break;
    case 0x3c: // EXTCODECOPY
      await codeCopy(machine, frame);
      break;
    case 0x3f: // EXTCODEHASH
      await codeHash(machine, frame);
      break;
    case 0x40: // BLOCKHASH
      await blockHash(machine, frame);
      break;
    case 0x47: // SELFBALANCE
      await selfBalance(machine, frame);
      break;
    case 0xf0: // CREATE
    case 0xf5: // CREATE2
      await executeCreate(machine, frame, op);
      break;
    case 0xff: // SELFDESTRUCT
      await selfDestruct(machine, frame);
      return 'ended';
    default:
      await executeCall(machine, frame, op);
  }
  return 'continued';
};
