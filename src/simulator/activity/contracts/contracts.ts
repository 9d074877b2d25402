/** Contracts come, change and go. */
import { ResponseCodeEnum } from '../../../protobuf/generated/services/response_code.ts';
import { protobufKey } from '../../keys/account-key.ts';
import { fees, GAS_PRICE } from '../../network/fee-schedule.ts';
import type { BlockBuilder } from '../../records/block-builder.ts';
import { accountId, contractId, fileId } from '../../records/proto-ids.ts';
import { codeOf } from '../../solidity/helper-contracts.ts';
import type { Account, ContractKind, SimulatedContract } from '../../state/ledger-entities.ts';
import { remember, removeAt } from '../../state/ledger-state.ts';
import { type Activity, chooseUser } from '../choose.ts';
import { createFileFor } from '../network/files.ts';
import { resultBody } from './evm-record.ts';
import { runCreation } from './evm-runs.ts';

const HBAR = 100_000_000n;
const MAX_CONTRACTS = 100;
const AUTO_RENEW = { seconds: 7_776_000n };
const CREATE_GAS = 120_000n;
/** Enough to begin. */
const FAILED_CREATE_GAS = 60_000n;
const KEPT_CONTRACTS = 6;

const AUTO_ASSOCIATIONS = [0, 0, 10, -1];

/** Submits a ContractCreate; with `file` its init code comes from there. */
export const createContractFor = (
  builder: BlockBuilder,
  creator: Account,
  kind: ContractKind,
  file?: bigint,
): SimulatedContract => {
  const { contract, execution } = runCreation(builder, kind, {
    sender: creator,
    gas: CREATE_GAS,
    memo: (num) => `${kind} ${num}`,
    keyBytes: creator.keyBytes,
    autoAssociations: AUTO_ASSOCIATIONS[builder.random.below(AUTO_ASSOCIATIONS.length)] as number,
  });
  const initcode = codeOf(kind).init;
  builder.submit({
    payer: creator,
    fee: CREATE_GAS * GAS_PRICE,
    data: {
      $case: 'contractCreateInstance',
      contractCreateInstance: {
        initcodeSource:
          file === undefined ? { $case: 'initcode', initcode } : { $case: 'fileID', fileID: fileId(file) },
        gas: CREATE_GAS,
        autoRenewPeriod: AUTO_RENEW,
        autoRenewAccountId: accountId(creator.num),
        memo: contract.account.memo,
        maxAutomaticTokenAssociations: contract.account.autoAssociations,
        ...(creator.key === undefined ? {} : { adminKey: protobufKey(creator.key) }),
      },
    },
    receipt: { contractID: contractId(contract.num) },
    record: { body: resultBody(execution) },
    sidecars: execution.sidecars,
  });
  creator.pinned = true;
  return contract;
};

const KINDS: readonly ContractKind[] = ['counter', 'counter', 'counter', 'factory', 'mover'];

/** A contract of some kind; a third of the counters come from a file, which somebody writes first. */
export const createContract: Activity = (builder) => {
  const { random, state } = builder;
  const creator = chooseUser(builder, HBAR);
  if (creator?.key === undefined || state.contracts.length >= MAX_CONTRACTS) return false;
  const kind = KINDS[random.below(KINDS.length)] as ContractKind;
  if (kind !== 'counter' || random.chance(0.67)) {
    createContractFor(builder, creator, kind);
    return true;
  }
  const [file] = state.callDataFiles;
  if (file === undefined) return createCallDataFile(builder);
  createContractFor(builder, creator, kind, file.num);
  return true;
};

const MAX_CALL_DATA_FILES = 3;

/** A file with a counter's init code as hex, for contracts and for Ethereum transactions. */
export const createCallDataFile: Activity = (builder) => {
  const { state } = builder;
  const owner = chooseUser(builder, 2n * HBAR);
  if (owner?.key === undefined || state.callDataFiles.length >= MAX_CALL_DATA_FILES) return false;
  const { init } = codeOf('counter');
  state.callDataFiles.push(createFileFor(builder, owner, Buffer.from(Buffer.from(init).toString('hex'))));
  return true;
};

/** A creation that runs out of gas: a result without a contract. */
export const failCreation: Activity = (builder) => {
  const creator = chooseUser(builder, HBAR);
  if (creator === undefined) return false;
  const gas = FAILED_CREATE_GAS;
  builder.submit({
    payer: creator,
    fee: gas * GAS_PRICE,
    status: ResponseCodeEnum.INSUFFICIENT_GAS,
    data: {
      $case: 'contractCreateInstance',
      contractCreateInstance: {
        initcodeSource: { $case: 'initcode', initcode: codeOf('counter').init },
        gas,
        autoRenewPeriod: AUTO_RENEW,
      },
    },
    record: {
      body: {
        $case: 'contractCreateResult',
        contractCreateResult: {
          errorMessage: 'INSUFFICIENT_GAS',
          gasUsed: gas,
          gas,
          senderId: accountId(creator.num),
        },
      },
    },
  });
  return true;
};

export const updateContract: Activity = (builder) => {
  const { random, state } = builder;
  const payer = chooseUser(builder, HBAR);
  const contract = random.pick(state.contracts);
  if (payer === undefined || contract === undefined) return false;
  const memo = `${contract.kind} ${contract.num} at ${contract.count}`;
  builder.submit({
    payer,
    fee: fees.accountUpdate,
    data: {
      $case: 'contractUpdateInstance',
      contractUpdateInstance: {
        contractID: contractId(contract.num),
        memoField: { $case: 'memoWrapper', memoWrapper: memo },
      },
    },
    receipt: { contractID: contractId(contract.num) },
  });
  contract.account.memo = memo;
  return true;
};

/** Deletes a contract that no hook runs; somebody gets its hbar. */
export const deleteContract: Activity = (builder) => {
  const { random, state } = builder;
  if (state.contracts.length <= KEPT_CONTRACTS) return false;
  const index = random.below(state.contracts.length);
  const contract = state.contracts[index] as SimulatedContract;
  const payer = chooseUser(builder, HBAR);
  if (payer === undefined || isHookCode(builder, contract)) return false;
  const { account } = contract;
  builder.submit({
    payer,
    fee: fees.accountDelete,
    data: {
      $case: 'contractDeleteInstance',
      contractDeleteInstance: {
        contractID: contractId(contract.num),
        obtainers: { $case: 'transferAccountID', transferAccountID: accountId(payer.num) },
      },
    },
    receipt: { contractID: contractId(contract.num) },
    hbar: [
      { account, amount: -account.balance },
      { account: payer, amount: account.balance },
    ],
  });
  removeAt(state.contracts, index);
  remember(state.deletedContracts, contract);
  account.deleted = true;
  state.accounts.delete(contract.num);
  return true;
};

const isHookCode = ({ state }: BlockBuilder, { num }: SimulatedContract): boolean =>
  state.hookOwners.some(({ hooks }) => [...hooks.values()].some((hook) => hook.contract === num));
