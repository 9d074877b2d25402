/** What a block says of a transaction beside its result, where the record has it in its receipt and body. */
import { TransactionType } from '../../ledger/transaction-type.ts';
import { TransactionOutput } from '../../protobuf/generated/block/stream/output/transaction_output.ts';
import type { ContractID, HookId } from '../../protobuf/generated/services/basic_types.ts';
import { ContractFunctionResult, EvmTransactionResult } from '../../protobuf/generated/services/contract_types.ts';
import type { RecordedItem } from '../records/recorded-item.ts';

type Output = Parameters<typeof TransactionOutput.fromPartial>[0]['transaction'];

/** The contract result of a record. */
export interface RecordedResult {
  readonly creation: boolean;
  readonly result: ContractFunctionResult;
}

export const contractResultOf = ({ draft }: RecordedItem): RecordedResult | undefined => {
  const body = draft.record?.body;
  if (body?.$case === 'contractCreateResult') {
    return { creation: true, result: ContractFunctionResult.fromPartial(body.contractCreateResult ?? {}) };
  }
  if (body?.$case === 'contractCallResult') {
    return { creation: false, result: ContractFunctionResult.fromPartial(body.contractCallResult ?? {}) };
  }
  return undefined;
};

/** Bloom filters and created contracts are for the reader to find: logs, addresses and state tell them. */
const evmResult = (
  { nonce }: RecordedItem,
  result: ContractFunctionResult,
  executedHookId: HookId | undefined,
): EvmTransactionResult => {
  const { gas, amount, functionParameters } = result;
  // What contracts had done by themselves has no call of its own in any transaction.
  const internal = nonce > 0 && (gas !== 0n || amount !== 0n || functionParameters.length > 0);
  return EvmTransactionResult.fromPartial({
    senderId: result.senderId,
    contractId: result.contractID,
    resultData: result.contractCallResult,
    errorMessage: result.errorMessage,
    gasUsed: result.gasUsed,
    internalCallContext: internal ? { gas, value: amount, callData: functionParameters } : undefined,
    executedHookId,
    contractNonces: result.contractNonces,
    signerNonce: result.signerNonce,
  });
};

const evmOutput = (item: RecordedItem, recorded: RecordedResult, hook: HookId | undefined): Output => {
  const evmTransactionResult = evmResult(item, recorded.result, hook);
  switch (item.type) {
    case TransactionType.CONTRACTCREATEINSTANCE:
      return { $case: 'contractCreate', contractCreate: { evmTransactionResult } };
    case TransactionType.ETHEREUMTRANSACTION:
      return {
        $case: 'ethereumCall',
        ethereumCall: {
          transactionResult: recorded.creation
            ? { $case: 'evmCreateTransactionResult', evmCreateTransactionResult: evmTransactionResult }
            : { $case: 'evmCallTransactionResult', evmCallTransactionResult: evmTransactionResult },
        },
      };
    default:
      return { $case: 'contractCall', contractCall: { evmTransactionResult } };
  }
};

const scheduleOutput = ({ draft, type }: RecordedItem): Output => {
  const { scheduleID, scheduledTransactionID } = draft.receipt ?? {};
  if (type === TransactionType.SCHEDULECREATE && scheduleID !== undefined) {
    return {
      $case: 'createSchedule',
      createSchedule: { scheduleId: scheduleID, scheduledTransactionId: scheduledTransactionID },
    };
  }
  if (type === TransactionType.SCHEDULESIGN && scheduledTransactionID !== undefined) {
    return { $case: 'signSchedule', signSchedule: { scheduledTransactionId: scheduledTransactionID } };
  }
  return undefined;
};

const entropyOutput = ({ draft }: RecordedItem): Output => {
  const entropy = draft.record?.entropy;
  return entropy === undefined ? undefined : { $case: 'utilPrng', utilPrng: { entropy } };
};

const accountOutput = ({ draft, type }: RecordedItem): Output => {
  const createdAccountId = draft.receipt?.accountID;
  return type === TransactionType.CRYPTOCREATEACCOUNT && createdAccountId !== undefined
    ? { $case: 'accountCreate', accountCreate: { createdAccountId } }
    : undefined;
};

/** The TransactionOutput messages of a transaction, most have none. `hook`: whose code ran, in executions of hooks. */
export const transactionOutputs = (item: RecordedItem, hook: HookId | undefined): Uint8Array[] => {
  const { draft } = item;
  if (draft.receipt === undefined && draft.record === undefined) return NONE;
  const recorded = contractResultOf(item);
  const outputs = [
    recorded && evmOutput(item, recorded, hook),
    scheduleOutput(item),
    entropyOutput(item),
    accountOutput(item),
  ];
  return outputs.flatMap((transaction) =>
    transaction === undefined
      ? []
      : [TransactionOutput.encode(TransactionOutput.fromPartial({ transaction })).finish()],
  );
};

const NONE: Uint8Array[] = [];

/** Number of a contract, undefined for one that is known by its address. */
export const contractNum = (id: ContractID | undefined): bigint | undefined =>
  id?.contract?.$case === 'contractNum' ? id.contract.contractNum : undefined;
