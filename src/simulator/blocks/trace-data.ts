/** What a block records about the inside of executions; record streams have it in sidecars, results and receipts. */
import { trimLeadingZeros } from '../../ledger/bytes.ts';
import { TraceData } from '../../protobuf/generated/block/stream/trace/trace_data.ts';
import type { ContractID, HookId } from '../../protobuf/generated/services/basic_types.ts';
import type { ContractLoginfo } from '../../protobuf/generated/services/contract_types.ts';
import type { ContractBytecode } from '../../protobuf/generated/streams/contract_bytecode.ts';
import type { StorageChange } from '../../protobuf/generated/streams/contract_state_change.ts';
import type { RecordedItem } from '../records/recorded-item.ts';
import { putSlot, slotPlaceOf } from './contract-states.ts';
import type { FamilyChanges } from './state-change.ts';
import { contractResultOf } from './transaction-outputs.ts';

type TraceParts = NonNullable<Parameters<typeof TraceData.fromPartial>[0]['data']>;
type EvmTrace = NonNullable<Extract<TraceParts, { $case: 'evmTraceData' }>['evmTraceData']>;
type SlotUsage = NonNullable<EvmTrace['contractSlotUsages']>[number];
type SlotRead = NonNullable<SlotUsage['slotReads']>[number];
type Initcode = NonNullable<EvmTrace['executedInitcode']>['initcode'];

const encodeTrace = (data: TraceParts): Uint8Array => TraceData.encode(TraceData.fromPartial({ data })).finish();

/** Init code around the runtime code that it leaves behind, or as it is where that isn't part of it. */
const initcodeOf = ({ initcode, runtimeBytecode }: ContractBytecode): Initcode => {
  const at = runtimeBytecode.length === 0 ? -1 : Buffer.from(initcode).indexOf(runtimeBytecode);
  if (at < 0) return { $case: 'explicitInitcode', explicitInitcode: initcode };
  return {
    $case: 'initcodeBookends',
    initcodeBookends: {
      deployBytecode: initcode.subarray(0, at),
      metadataBytecode: initcode.subarray(at + runtimeBytecode.length),
    },
  };
};

/**
 * Slots that an execution read and wrote. A transaction by itself refers to the slots that changed, by their place; where
 * several share the changes, each lists the keys that it wrote, and what it wrote is what the next one reads.
 */
const slotUsage = (
  contractId: ContractID | undefined,
  slots: readonly StorageChange[],
  { hook, changes, sharesChanges }: TraceContext,
): SlotUsage => {
  const keys: Uint8Array[] = [];
  const slotReads = slots.map(({ slot, valueRead, valueWritten }): SlotRead => {
    if (valueWritten === undefined) return { identifier: { $case: 'key', key: slot }, readValue: valueRead };
    putSlot(changes, contractId, hook, slot, valueWritten);
    const index = sharesChanges ? keys.push(slot) - 1 : slotPlaceOf(changes, contractId, hook, slot);
    return { identifier: { $case: 'index', index }, readValue: valueRead };
  });
  return { contractId, slotReads, ...(keys.length > 0 && { writtenSlotKeys: { keys } }) };
};

/** Bloom filters are for the reader to make again, from the number of the contract and the topics. */
const logOf = ({ contractID, data, topic }: ContractLoginfo) => ({
  contractId: contractID,
  data,
  topics: topic.map(trimLeadingZeros),
});

export interface TraceContext {
  /** Whose code ran, in executions of hooks. */
  readonly hook: HookId | undefined;
  readonly changes: FamilyChanges;
  /** Whether `changes` are those of several executions. */
  readonly sharesChanges: boolean;
}

const evmTrace = (item: RecordedItem, context: TraceContext): EvmTrace | undefined => {
  const { draft } = item;
  const sidecars = draft.sidecars ?? [];
  const logs = (contractResultOf(item)?.result.logInfo ?? []).map(logOf);
  if (sidecars.length === 0 && logs.length === 0) return undefined;
  const trace: {
    contractActions: NonNullable<EvmTrace['contractActions']>;
    contractSlotUsages: SlotUsage[];
    executedInitcode?: NonNullable<EvmTrace['executedInitcode']>;
    logs: typeof logs;
  } = { contractActions: [], contractSlotUsages: [], logs };
  for (const sidecar of sidecars) {
    if (sidecar.$case === 'actions') trace.contractActions.push(...sidecar.actions.contractActions);
    if (sidecar.$case === 'stateChanges') {
      for (const { contractId, storageChanges } of sidecar.stateChanges.contractStateChanges) {
        trace.contractSlotUsages.push(slotUsage(contractId, storageChanges, context));
      }
    }
    if (sidecar.$case === 'bytecode') {
      trace.executedInitcode = { contractId: sidecar.bytecode.contractId, initcode: initcodeOf(sidecar.bytecode) };
    }
  }
  return trace;
};

/** The TraceData messages of a transaction; storage that it wrote is put into `changes` on the way. */
export const traceDataOf = (item: RecordedItem, context: TraceContext): Uint8Array[] => {
  const { draft } = item;
  const traces: Uint8Array[] = [];
  const evmTraceData = evmTrace(item, context);
  if (evmTraceData !== undefined) traces.push(encodeTrace({ $case: 'evmTraceData', evmTraceData }));
  const { topicSequenceNumber, topicRunningHash } = draft.receipt ?? {};
  // By itself a message leaves the topic's state behind; of several, the state tells the last one only.
  if (context.sharesChanges && topicRunningHash !== undefined) {
    const submitMessageTraceData = { sequenceNumber: topicSequenceNumber ?? 0n, runningHash: topicRunningHash };
    traces.push(encodeTrace({ $case: 'submitMessageTraceData', submitMessageTraceData }));
  }
  return traces;
};
