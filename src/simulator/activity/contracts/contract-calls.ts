/** Calls of contracts by HAPI's ContractCall. */

import { GAS_PRICE } from '../../network/fee-schedule.ts';
import type { BlockBuilder } from '../../records/block-builder.ts';
import { contractId } from '../../records/proto-ids.ts';
import { INCREMENT_CALL } from '../../solidity/counter-contract.ts';
import type { Account, ContractKind, SimulatedContract, Token } from '../../state/ledger-entities.ts';
import { type Activity, chooseReceiver, chooseSender, chooseUser } from '../choose.ts';
import { type Execution, resultBody } from './evm-record.ts';
import { runCounter, runFactory, runInVain, runMover } from './evm-runs.ts';

const HBAR = 100_000_000n;
const CALL_GAS = 60_000n;
const LARGE_CALL_GAS = 150_000n;
const TOO_LITTLE_GAS = 22_000n;
const MAX_CREATED = 200;
const TRIES = 4;
const NO_DATA = new Uint8Array();
/** Too short to name a function of the token service. */
const NONSENSE = new Uint8Array([1, 2, 3]);
/** The token service uses up what it gets of `LARGE_CALL_GAS`. */
const NONSENSE_GAS = 148_046n;

export const chooseContract = ({ random, state }: BlockBuilder, kind: ContractKind): SimulatedContract | undefined => {
  for (let i = 0; i < TRIES; i++) {
    const contract = random.pick(state.contracts);
    if (contract?.kind === kind) return contract;
  }
  return state.contracts.find((contract) => contract.kind === kind);
};

const submitCall = (
  builder: BlockBuilder,
  caller: Account,
  contract: SimulatedContract,
  execution: Execution,
  amount = 0n,
): void => {
  const { result, status, following } = execution;
  const { gas, functionParameters = NO_DATA } = result;
  const id = contractId(contract.num);
  builder.submit({
    payer: caller,
    fee: gas * GAS_PRICE,
    data: {
      $case: 'contractCall',
      contractCall: { contractID: id, gas, amount, functionParameters },
    },
    receipt: { contractID: id },
    record: { body: resultBody(execution) },
    sidecars: execution.sidecars,
    ...(status === undefined ? {} : { status }),
    ...(following === undefined ? {} : { following }),
    ...(amount === 0n
      ? {}
      : {
          hbar: [
            { account: caller, amount: -amount },
            { account: contract.account, amount },
          ],
        }),
  });
};

/** Calls a counter, now and then with hbar; one call in twelve brings too little gas. */
export const callContract: Activity = (builder) => {
  const { random } = builder;
  const caller = chooseUser(builder, HBAR);
  const contract = chooseContract(builder, 'counter');
  if (caller === undefined || contract === undefined) return false;
  if (random.chance(1 / 12)) {
    const call = { sender: caller, contract, gas: TOO_LITTLE_GAS };
    submitCall(builder, caller, contract, runInVain(call, INCREMENT_CALL));
    return true;
  }
  const amount = random.chance(0.1) ? BigInt(random.between(1, 1_000_000)) : 0n;
  submitCall(builder, caller, contract, runCounter({ sender: caller, contract, gas: CALL_GAS }, amount), amount);
  return true;
};

/** Calls a factory, which creates a contract. */
export const callFactory: Activity = (builder) => {
  const { state } = builder;
  const caller = chooseUser(builder, HBAR);
  const contract = chooseContract(builder, 'factory');
  if (caller === undefined || contract === undefined || state.contracts.length >= MAX_CREATED) return false;
  const call = { sender: caller, contract, gas: LARGE_CALL_GAS };
  submitCall(builder, caller, contract, runFactory(builder, call));
  return true;
};

/** A token without fees whose holders may move it, and who moves how much to whom. */
const chooseMove = (
  builder: BlockBuilder,
):
  | { readonly token: Token; readonly sender: Account; readonly receiver: Account; readonly amount: bigint }
  | undefined => {
  const { random, state } = builder;
  const token = random.pick(state.fungible);
  if (token === undefined || token.paused || token.fees.length > 0) return undefined;
  const sender = chooseSender(builder, token, HBAR);
  const receiver = sender && chooseReceiver(builder, token, sender);
  if (sender === undefined || receiver === undefined) return undefined;
  const held = sender.holdings.get(token.num)?.balance ?? 0n;
  return { token, sender, receiver, amount: 1n + random.bigBelow(held / 10n + 1n) };
};

/** Calls a mover, which transfers tokens of the caller; one call in six brings nonsense and is reverted. */
export const callMover: Activity = (builder) => {
  const contract = chooseContract(builder, 'mover');
  const move = chooseMove(builder);
  if (contract === undefined || move === undefined) return false;
  const call = { sender: move.sender, contract, gas: LARGE_CALL_GAS };
  const execution = builder.random.chance(1 / 6) ? runInVain(call, NONSENSE, NONSENSE_GAS) : runMover(call, move);
  submitCall(builder, move.sender, contract, execution);
  return true;
};
