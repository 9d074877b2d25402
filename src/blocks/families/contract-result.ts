/** What contracts returned and logged: for calls, creations and every other transaction that the EVM had a part in. */

import { addToBloom, BLOOM_LENGTH, uniteBloom } from '../../ledger/bloom.ts';
import { leftPad } from '../../ledger/bytes.ts';
import { decodeEthereumTransaction } from '../../ledger/ethereum-transaction.ts';
import { longZeroAddress } from '../../ledger/evm-address.ts';
import { keccak256 } from '../../ledger/hash.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import type { EvmTransactionLog } from '../../protobuf/generated/block/stream/trace/smart_contract_service.ts';
import { ContractID } from '../../protobuf/generated/services/basic_types.ts';
import {
  type ContractFunctionResult,
  ContractLoginfo,
  type EvmTransactionResult,
} from '../../protobuf/generated/services/contract_types.ts';
import type { RecordParts } from '../record-parts.ts';
import type { TransactionView } from '../transaction-view.ts';

const NO_BYTES: Uint8Array = new Uint8Array(0);
const TOPIC_LENGTH = 32;
const WEIBARS_PER_TINYBAR = 10_000_000_000n;

interface EvmOutput {
  readonly isCreation: boolean;
  readonly result: EvmTransactionResult;
}

/** What the EVM gave back; undefined when it had no part in the transaction. */
export const evmOutputOf = (view: TransactionView): EvmOutput | undefined => {
  if (view.source.outputs.length === 0) return undefined;
  switch (view.type) {
    case TransactionType.CONTRACTCREATEINSTANCE: {
      const result = view.output('contractCreate')?.contractCreate.evmTransactionResult;
      return result && { isCreation: true, result };
    }
    case TransactionType.ETHEREUMTRANSACTION: {
      const result = view.output('ethereumCall')?.ethereumCall.transactionResult;
      if (result === undefined) return undefined;
      return result.$case === 'evmCreateTransactionResult'
        ? { isCreation: true, result: result.evmCreateTransactionResult }
        : { isCreation: false, result: result.evmCallTransactionResult };
    }
    default: {
      const result = view.output('contractCall')?.contractCall.evmTransactionResult;
      return result && { isCreation: false, result };
    }
  }
};

/** Types whose receipts name the contract that ran. */
const NAMES_CONTRACT: ReadonlySet<number> = new Set([
  TransactionType.CONTRACTCALL,
  TransactionType.CONTRACTCREATEINSTANCE,
  TransactionType.ETHEREUMTRANSACTION,
]);

/** Adds the function result, if the EVM ran, and what an Ethereum transaction adds to its record in any case. */
export const addContractResult = (view: TransactionView, parts: RecordParts): void => {
  const output = evmOutputOf(view);
  const request =
    view.type === TransactionType.ETHEREUMTRANSACTION ? addEthereum(view, parts, output !== undefined) : undefined;
  if (output === undefined) return;
  const { isCreation, result } = output;
  const contractNum = numberOf(result.contractId);
  if (isCreation && view.isSuccessful && contractNum !== undefined) noteCreation(view, contractNum);
  parts.functionResult = { isCreation, result: functionResult(view, output, request) };
  if (!NAMES_CONTRACT.has(view.type)) return;
  // Without gas the EVM never ran, whatever contract was meant.
  const isUnrun = view.type === TransactionType.ETHEREUMTRANSACTION && result.gasUsed === 0n;
  if (!isUnrun) parts.receipt.contractID = result.contractId;
};

type Request = Pick<ContractFunctionResult, 'gas' | 'amount' | 'functionParameters'>;

const functionResult = (
  view: TransactionView,
  { isCreation, result }: EvmOutput,
  ethereum: Request | undefined,
): Partial<ContractFunctionResult> => {
  const context = result.internalCallContext;
  const request = context && { gas: context.gas, amount: context.value, functionParameters: context.callData };
  const isOutermost = view.parent === undefined || evmOutputOf(view.parent) === undefined;
  const { logInfo, bloom } = logsOf(view.evmTrace?.logs ?? []);
  const hasBloom = logInfo.length > 0 || (isOutermost && view.isSuccessful);
  return {
    contractID: result.contractId,
    contractCallResult: result.resultData,
    errorMessage: result.errorMessage,
    bloom: hasBloom ? bloom : NO_BYTES,
    gasUsed: result.gasUsed,
    logInfo,
    createdContractIDs: isOutermost && view.isSuccessful ? createdIds(view, result.contractId) : [],
    evmAddress: isCreation && view.isSuccessful ? evmAddressOf(view, result.contractId) : undefined,
    senderId: result.senderId,
    contractNonces: result.contractNonces,
    signerNonce: result.signerNonce,
    ...(ethereum ?? request),
  };
};

/** Amounts of Ethereum transactions are weibars, those of records tinybars. Call data in a file stays there. */
const addEthereum = (view: TransactionView, parts: RecordParts, hasResult: boolean): Request | undefined => {
  const body = view.data('ethereumTransaction')?.ethereumTransaction;
  if (body === undefined) return undefined;
  try {
    const { gasLimit, value, callData } = decodeEthereumTransaction(body.ethereumData);
    if (callData.length > 0 || body.callData === undefined) parts.ethereumHash = keccak256(body.ethereumData);
    return {
      gas: BigInt.asIntN(64, gasLimit),
      amount: BigInt.asIntN(64, value / WEIBARS_PER_TINYBAR),
      functionParameters: callData,
    };
  } catch (fault) {
    if (hasResult)
      parts.lacks('contract result', `the Ethereum transaction: ${fault instanceof Error ? fault.message : fault}`);
    return undefined;
  }
};

const numberOf = (id: ContractID | undefined): bigint | undefined =>
  id?.contract?.$case === 'contractNum' ? id.contract.contractNum : undefined;

/** Tells what set the transaction off, which is looked at later. */
const noteCreation = (view: TransactionView, contractNum: bigint): void => {
  for (let above: TransactionView | undefined = view; above !== undefined; above = above.parent) {
    above.createdContracts.add(contractNum);
  }
};

const createdIds = ({ createdContracts }: TransactionView, like: ContractID | undefined): ContractID[] =>
  [...createdContracts]
    .sort((a, b) => (a < b ? -1 : 1))
    .map((contractNum) =>
      ContractID.fromPartial({
        shardNum: like?.shardNum ?? 0n,
        realmNum: like?.realmNum ?? 0n,
        contract: { $case: 'contractNum', contractNum },
      }),
    );

/** The alias of a new contract, which those have that CREATE2 or an Ethereum transaction made; else its number's address. */
const evmAddressOf = (view: TransactionView, id: ContractID | undefined): Uint8Array | undefined => {
  const contractNum = numberOf(id);
  if (contractNum === undefined) return undefined;
  const alias = view.inState((state) => state.accounts.get(contractNum)?.alias);
  return alias !== undefined && alias.length > 0 ? alias : longZeroAddress(contractNum);
};

const addressOf = (id: ContractID | undefined): Uint8Array => {
  const contract = id?.contract;
  if (contract?.$case === 'evmAddress') return contract.evmAddress;
  return longZeroAddress(contract?.contractNum ?? 0n);
};

/** Blooms are computed: traces have none. */
const logsOf = (logs: readonly EvmTransactionLog[]): { logInfo: ContractLoginfo[]; bloom: Uint8Array } => {
  const all = new Uint8Array(BLOOM_LENGTH);
  const logInfo = logs.map(({ contractId, data, topics }) => {
    const bloom = new Uint8Array(BLOOM_LENGTH);
    const topic = topics.map((trimmed) => leftPad(trimmed, TOPIC_LENGTH));
    addToBloom(bloom, addressOf(contractId));
    for (const value of topic) addToBloom(bloom, value);
    uniteBloom(all, bloom);
    return ContractLoginfo.fromPartial({ contractID: contractId, bloom, topic, data });
  });
  return { logInfo, bloom: all };
};
