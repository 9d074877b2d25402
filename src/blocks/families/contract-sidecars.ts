/** What sidecar files record about a contract transaction: its trace, the code that it deployed, the storage that it used. */
import { TransactionType } from '../../ledger/transaction-type.ts';
import type { ExecutedInitcode } from '../../protobuf/generated/block/stream/trace/smart_contract_service.ts';
import { ContractBytecode } from '../../protobuf/generated/streams/contract_bytecode.ts';
import type { RecordParts } from '../record-parts.ts';
import type { TransactionView } from '../transaction-view.ts';
import { evmOutputOf } from './contract-result.ts';
import { storageOf } from './slot-usage.ts';

export const addContractSidecars = (view: TransactionView, parts: RecordParts): void => {
  const trace = view.evmTrace;
  if (trace !== undefined && trace.contractSlotUsages.length > 0) {
    const contractStateChanges = storageOf(view, trace.contractSlotUsages, parts);
    if (contractStateChanges.length > 0) {
      parts.sidecars.push({ $case: 'stateChanges', stateChanges: { contractStateChanges } });
    }
  }
  if (trace !== undefined && trace.contractActions.length > 0) {
    parts.sidecars.push({ $case: 'actions', actions: { contractActions: trace.contractActions } });
  }
  if (view.type === TransactionType.CONTRACTCREATEINSTANCE) addBytecode(view, trace?.executedInitcode, parts);
};

const addBytecode = (view: TransactionView, executed: ExecutedInitcode | undefined, parts: RecordParts): void => {
  const contractId = evmOutputOf(view)?.result.contractId ?? executed?.contractId;
  const contract = contractId?.contract;
  const runtime =
    contract?.$case === 'contractNum' ? view.inState((state) => state.bytecodes.get(contract.contractNum)) : undefined;
  const initcode = initcodeOf(executed, runtime);
  if (runtime === undefined && initcode === undefined) return;
  const bytecode = ContractBytecode.fromPartial({
    ...(contractId && { contractId }),
    ...(initcode && { initcode }),
    ...(runtime && { runtimeBytecode: runtime }),
  });
  parts.sidecars.push({ $case: 'bytecode', bytecode });
};

/** Initcode that holds the deployed code is told by what stands before and behind it. */
const initcodeOf = (
  executed: ExecutedInitcode | undefined,
  runtime: Uint8Array | undefined,
): Uint8Array | undefined => {
  switch (executed?.initcode?.$case) {
    case 'explicitInitcode':
      return executed.initcode.explicitInitcode;
    case 'initcodeBookends': {
      const { deployBytecode, metadataBytecode } = executed.initcode.initcodeBookends;
      return runtime && new Uint8Array(Buffer.concat([deployBytecode, runtime, metadataBytecode]));
    }
    default:
      return undefined;
  }
};
