import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { CallOperationType, ContractActionType } from '../../protobuf/generated/streams/contract_action.ts';
import { TransactionSidecarRecord } from '../../protobuf/generated/streams/sidecar_file.ts';
import { addAccount } from '../account-book.ts';
import { protobufKey } from '../account-key.ts';
import type { BlockBuilder, SidecarContent } from '../block-builder.ts';
import {
  INCREMENT_CALL,
  INCREMENTED_TOPIC,
  INIT_CODE,
  logBloom,
  RUNTIME_CODE,
  trimmedWord,
  word,
} from '../counter-contract.ts';
import { GAS_PRICE } from '../fee-schedule.ts';
import type { Account, CounterContract } from '../ledger-state.ts';
import { accountId, contractId } from '../proto-ids.ts';
import { type Activity, chooseUser } from './choose.ts';

const HBAR = 100_000_000n;
const MAX_CONTRACTS = 100;
const AUTO_RENEW = { seconds: 7_776_000n };
const CREATE_GAS = 120_000n;
const CREATE_GAS_USED = 84_312n;
const CALL_GAS = 60_000n;
/** The first call makes the slot non-zero, which costs more. */
const FIRST_CALL_GAS_USED = 44_863n;
const CALL_GAS_USED = 27_763n;
const TOO_LITTLE_GAS = 22_000n;
const NO_BLOOM = new Uint8Array(256);

const sidecar = (
  content: Parameters<typeof TransactionSidecarRecord.fromPartial>[0]['sidecarRecords'],
): SidecarContent => TransactionSidecarRecord.fromPartial({ sidecarRecords: content }).sidecarRecords as SidecarContent;

/** Submits a ContractCreate of a counter contract. */
export const createContractFor = (builder: BlockBuilder, creator: Account): CounterContract => {
  const { state } = builder;
  const num = builder.takeNum();
  addAccount(state, { num, pinned: true, declineReward: true });
  const id = contractId(num);
  builder.submit({
    payer: creator,
    fee: CREATE_GAS * GAS_PRICE,
    data: {
      $case: 'contractCreateInstance',
      contractCreateInstance: {
        initcodeSource: { $case: 'initcode', initcode: INIT_CODE },
        gas: CREATE_GAS,
        autoRenewPeriod: AUTO_RENEW,
        autoRenewAccountId: accountId(creator.num),
        memo: `counter ${num}`,
        ...(creator.key === undefined ? {} : { adminKey: protobufKey(creator.key) }),
      },
    },
    receipt: { contractID: id },
    record: {
      body: {
        $case: 'contractCreateResult',
        contractCreateResult: {
          contractID: id,
          contractCallResult: RUNTIME_CODE,
          bloom: NO_BLOOM,
          gasUsed: CREATE_GAS_USED,
          gas: CREATE_GAS,
          createdContractIDs: [id],
          senderId: accountId(creator.num),
          contractNonces: [{ contractId: id, nonce: 1n }],
        },
      },
    },
    sidecars: [
      sidecar({ $case: 'bytecode', bytecode: { contractId: id, initcode: INIT_CODE, runtimeBytecode: RUNTIME_CODE } }),
      sidecar({
        $case: 'actions',
        actions: {
          contractActions: [
            {
              callType: ContractActionType.CREATE,
              caller: { $case: 'callingAccount', callingAccount: accountId(creator.num) },
              gas: CREATE_GAS,
              gasUsed: CREATE_GAS_USED,
              recipient: { $case: 'recipientContract', recipientContract: id },
              resultData: { $case: 'output', output: new Uint8Array() },
              callOperationType: CallOperationType.OP_CREATE,
            },
          ],
        },
      }),
    ],
  });
  creator.pinned = true;
  const contract: CounterContract = { num, count: 0n };
  state.contracts.push(contract);
  return contract;
};

export const createContract: Activity = (builder) => {
  const creator = chooseUser(builder, HBAR);
  if (creator === undefined || builder.state.contracts.length >= MAX_CONTRACTS) return false;
  createContractFor(builder, creator);
  return true;
};

/** Calls a counter; one call in twelve brings too little gas. */
export const callContract: Activity = (builder) => {
  const { random, state } = builder;
  const caller = chooseUser(builder, HBAR);
  const contract = random.pick(state.contracts);
  if (caller === undefined || contract === undefined) return false;
  if (random.chance(1 / 12)) failCall(builder, caller, contract);
  else succeedCall(builder, caller, contract);
  return true;
};

const callBody = (contract: CounterContract, gas: bigint) => ({
  $case: 'contractCall' as const,
  contractCall: { contractID: contractId(contract.num), gas, functionParameters: INCREMENT_CALL },
});

const succeedCall = (builder: BlockBuilder, caller: Account, contract: CounterContract): void => {
  const id = contractId(contract.num);
  const before = contract.count;
  contract.count++;
  const output = word(contract.count);
  const gasUsed = before === 0n ? FIRST_CALL_GAS_USED : CALL_GAS_USED;
  const bloom = logBloom(contract.num, [INCREMENTED_TOPIC]);
  builder.submit({
    payer: caller,
    fee: CALL_GAS * GAS_PRICE,
    data: callBody(contract, CALL_GAS),
    receipt: { contractID: id },
    record: {
      body: {
        $case: 'contractCallResult',
        contractCallResult: {
          contractID: id,
          contractCallResult: output,
          bloom,
          gasUsed,
          gas: CALL_GAS,
          functionParameters: INCREMENT_CALL,
          logInfo: [{ contractID: id, bloom, topic: [INCREMENTED_TOPIC], data: output }],
          senderId: accountId(caller.num),
        },
      },
    },
    sidecars: [
      sidecar({
        $case: 'stateChanges',
        stateChanges: {
          contractStateChanges: [
            {
              contractId: id,
              storageChanges: [
                { slot: trimmedWord(0n), valueRead: trimmedWord(before), valueWritten: trimmedWord(contract.count) },
              ],
            },
          ],
        },
      }),
      callAction(caller, contract, CALL_GAS, gasUsed, { $case: 'output', output }),
    ],
  });
};

const failCall = (builder: BlockBuilder, caller: Account, contract: CounterContract): void => {
  const id = contractId(contract.num);
  builder.submit({
    payer: caller,
    fee: TOO_LITTLE_GAS * GAS_PRICE,
    status: ResponseCodeEnum.INSUFFICIENT_GAS,
    data: callBody(contract, TOO_LITTLE_GAS),
    receipt: { contractID: id },
    record: {
      body: {
        $case: 'contractCallResult',
        contractCallResult: {
          contractID: id,
          errorMessage: 'INSUFFICIENT_GAS',
          bloom: NO_BLOOM,
          gasUsed: TOO_LITTLE_GAS,
          gas: TOO_LITTLE_GAS,
          functionParameters: INCREMENT_CALL,
          senderId: accountId(caller.num),
        },
      },
    },
    sidecars: [
      callAction(caller, contract, TOO_LITTLE_GAS, TOO_LITTLE_GAS, {
        $case: 'error',
        error: Buffer.from('INSUFFICIENT_GAS'),
      }),
    ],
  });
};

const callAction = (
  caller: Account,
  contract: CounterContract,
  gas: bigint,
  gasUsed: bigint,
  resultData: { $case: 'output'; output: Uint8Array } | { $case: 'error'; error: Uint8Array },
): SidecarContent =>
  sidecar({
    $case: 'actions',
    actions: {
      contractActions: [
        {
          callType: ContractActionType.CALL,
          caller: { $case: 'callingAccount', callingAccount: accountId(caller.num) },
          gas,
          gasUsed,
          input: INCREMENT_CALL,
          recipient: { $case: 'recipientContract', recipientContract: contractId(contract.num) },
          resultData,
          callOperationType: CallOperationType.OP_CALL,
        },
      ],
    },
  });
