/** One transaction, from the checks before the first instruction to the outcome. */
import type { EntityId } from '../../ledger/entity-id.ts';
import type { Status } from '../hapi/operation.ts';
import type { AddressHex } from '../state/records.ts';
import { addressOf, isLongZero } from '../state/world.ts';
import type { SystemContract } from '../system-contracts/system-contract.ts';
import { Accounts } from './accounts.ts';
import { applyAuthorizations, authorizationGas } from './authorizations.ts';
import type { FrameResult, MachineTools } from './calling-machine.ts';
import { RunClock } from './clock.ts';
import { revertStatusOf, statusOf } from './halts.ts';
import { CodeCache } from './interpreter/code.ts';
import type { RunWords } from './interpreter/exit.ts';
import { intrinsicGas } from './intrinsic-gas.ts';
import { createKeccak256 } from './keccak.ts';
import { Machine } from './machine.ts';
import { canPay, findSender, gasPriceOf, isZeroAddress, type Sender } from './payer.ts';
import { createPrecompiles } from './precompiles/precompiles.ts';
import type { Execute, MostData, RunEnvironment, RunOutcome, RunTransaction } from './run.ts';
import { RunState } from './run-state.ts';
import { Tracing } from './tracing.ts';
import { versionRules } from './versions.ts';
import { hexToWord, readWord, viewOf } from './words.ts';

export interface ExecuteOptions {
  /** By address. */
  readonly systemContracts: ReadonlyMap<AddressHex, SystemContract>;
  /** First four bytes of calls whose value the token service takes as the fee of a new token. */
  readonly feeSelectors: ReadonlySet<number>;
}

/** `jumboTransactions.ethereumMaxCallDataSize` of networks. */
const MOST_DATA: MostData = { call: 131_072, creation: 131_072 };
/** 0.0.98. */
const COINBASE = 0x62n;
/** A fifth of the gas used can be refunded ([EIP-3529](https://eips.ethereum.org/EIPS/eip-3529)). */
const REFUND_QUOTIENT = 5;

const notStarted = (status: Status): RunOutcome => ({
  status,
  output: new Uint8Array(),
  executed: false,
  gasUsed: 0n,
  refund: 0n,
  childStatuses: [],
  logs: [],
  createdId: undefined,
  address: undefined,
});

const wordsOfRun = (environment: RunEnvironment, sender: Sender, gas: bigint): RunWords => {
  const { block, network } = environment;
  return {
    origin: hexToWord(sender.address),
    gasPrice: gasPriceOf(environment),
    coinbase: COINBASE,
    timestamp: block.timestamp,
    number: block.number,
    prevRandao: readWord(viewOf(block.hash), 0),
    gasLimit: gas,
    chainId: network.chainId,
  };
};

interface Target {
  readonly address: AddressHex;
  /** What the outcome names: absent for an address without an entity. */
  readonly shown: AddressHex | undefined;
  /** Whose code it runs, where that is another's. */
  readonly delegate: AddressHex | undefined;
}

/** A number also reaches a contract or account that contracts know by its alias only. */
const findTarget = async (to: AddressHex, accounts: Accounts, { world }: RunEnvironment): Promise<Target> => {
  const entity = await world.entityAt(to);
  const delegate = entity?.delegationAddress;
  if (entity !== undefined && isLongZero(to)) return { address: addressOf(entity), shown: addressOf(entity), delegate };
  return { address: to, shown: (entity ?? (await accounts.find(to))) === undefined ? undefined : to, delegate };
};

const statusOfResult = ({ outcome, output }: FrameResult): Status => {
  if (outcome === 'success') return 'SUCCESS';
  return outcome === 'revert' ? revertStatusOf(output) : statusOf(outcome);
};

/** What the world keeps of a run that succeeded. */
const settle = (state: RunState): void => {
  state.putWrittenSlots();
  for (const id of state.destroyed) state.world.removeEntity(id);
};

interface Finished {
  readonly result: FrameResult;
  readonly address: AddressHex | undefined;
  readonly createdId: EntityId | undefined;
}

const start = async (
  machine: Machine,
  sender: Sender,
  { to, value, data, newAddress }: RunTransaction,
  gas: number,
  target: Target | undefined,
): Promise<Finished> => {
  const { state } = machine;
  state.warm(sender.address);
  if (target === undefined || to === undefined) {
    const result = await machine.create({
      caller: sender.address,
      address: newAddress,
      value,
      initCode: data,
      gas,
      depth: 0,
    });
    const succeeded = result.outcome === 'success';
    return { result, address: succeeded ? result.address : undefined, createdId: succeeded ? result.id : undefined };
  }
  state.warm(target.address);
  if (target.delegate !== undefined) state.warm(target.delegate);
  const result = await machine.call({
    caller: sender.address,
    recipient: target.address,
    target: target.address,
    value,
    movesValue: true,
    input: data,
    gas,
    isStatic: false,
    depth: 0,
  });
  return { result, address: target.shown, createdId: undefined };
};

const executeWith =
  (tools: MachineTools): Execute =>
  async (transaction, environment) => {
    const { to, data, gas, authorizations = [] } = transaction;
    const isCreation = isZeroAddress(to);
    const { world, version } = environment;
    const rules = versionRules[version];
    const accounts = new Accounts(world, rules, environment.minimumAccountBalance);
    const sender = await findSender(transaction, accounts, world);
    if (sender === undefined) return notStarted('PAYER_ACCOUNT_NOT_FOUND');
    const { mostData = MOST_DATA } = environment;
    if (data.length > mostData[isCreation ? 'creation' : 'call']) return notStarted('TRANSACTION_OVERSIZE');
    const firstGas =
      Number(gas) - intrinsicGas(data, isCreation, rules.chargesForData) - authorizationGas(authorizations);
    if (firstGas < 0) return notStarted('INSUFFICIENT_GAS');
    if (!canPay(sender, transaction, accounts, environment)) return notStarted('INSUFFICIENT_PAYER_BALANCE');
    if (isCreation && data.length === 0) return notStarted('CONTRACT_BYTECODE_EMPTY');
    const state = new RunState(world);
    if (authorizations.length > 0) {
      await applyAuthorizations(authorizations, sender.entity, accounts, state, environment);
    }
    const target = isCreation || to === undefined ? undefined : await findTarget(to, accounts, environment);
    const mayBecomeAccount =
      target !== undefined && rules.createsHollowAccounts && transaction.value > 0n && !isLongZero(target.address);
    if (target !== undefined && !mayBecomeAccount && !(await accounts.isPresent(target.address))) {
      return notStarted('INVALID_CONTRACT_ID');
    }

    const { block, network, now, exchangeRate, gasPriceMilliTinycents, tracer } = environment;
    const machine = new Machine(tools, {
      environment,
      context: {
        world,
        block,
        network,
        now,
        exchangeRate,
        gasPriceMilliTinycents,
        payerId: sender.payerId,
        minimumAccountBalance: environment.minimumAccountBalance,
        children: state.children,
      },
      state,
      accounts,
      rules,
      words: wordsOfRun(environment, sender, gas),
      clock: new RunClock(environment.deadlineMs, environment.isInterrupted),
      tracing: tracer === undefined ? undefined : new Tracing(tracer, state),
    });
    const { result, address, createdId } = await start(machine, sender, transaction, firstGas, target);
    if (result.outcome === 'success') settle(state);
    const spent = Number(gas) - result.gasLeft;
    const refund = Math.min(state.refund, Math.floor(spent / REFUND_QUOTIENT));
    return {
      status: statusOfResult(result),
      output: result.output,
      executed: true,
      gasUsed: BigInt(spent - refund),
      refund: BigInt(refund),
      childStatuses: state.failedChildStatuses(),
      logs: state.logs,
      createdId,
      payerBalance: sender.entity.balance,
      address,
    };
  };

/** Loads what runs share; the function it gives may run several transactions at once, each on a world of its own. */
export const createExecute = async ({ systemContracts, feeSelectors }: ExecuteOptions): Promise<Execute> => {
  const keccak = await createKeccak256();
  return executeWith({
    keccak,
    precompiles: createPrecompiles(keccak),
    systemContracts,
    feeSelectors,
    codes: new CodeCache(),
  });
};
