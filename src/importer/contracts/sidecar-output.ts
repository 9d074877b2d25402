/** What the sidecar records of a transaction add to the ledger: traces, storage, bytecode. */
import { EMPTY_ENTITY_ID, type EntityId } from '../../ledger/entity-id.ts';
import type { ContractBytecode } from '../../protobuf/generated/streams/contract_bytecode.ts';
import type { RecordItem } from '../record-item.ts';
import type { Source } from '../transactions/handler.ts';
import { insertActions } from './contract-action.ts';
import { contractNumber, isHookContract } from './contract-ids.ts';
import { StateChanges } from './contract-state.ts';
import type { TracedRun } from './gas-consumed.ts';
import { HookStorageChanges, isHookExecution } from './hook-execution.ts';

const NOTHING_TRACED: TracedRun = { gasUsed: undefined, isCreation: false, initcode: undefined };

/** `ContractActionType.CREATE`. */
const CREATE = 2;

const initcodeOf = (item: RecordItem, { initcode }: ContractBytecode): Uint8Array | undefined => {
  const { data } = item.body;
  if (data?.$case !== 'contractCreateInstance') return undefined;
  const source = data.contractCreateInstance.initcodeSource;
  return source?.$case === 'initcode' ? source.initcode : initcode;
};

/** Adds the rows of the item's sidecar records and the contracts whose storage it used to `involved`. */
export const addSidecarOutput = (source: Source, involved: Set<EntityId>): TracedRun => {
  const { item, context } = source;
  if (item.sidecarRecords.length === 0) return NOTHING_TRACED;
  const states = new StateChanges(source);
  const hookStorage = isHookExecution(source) ? new HookStorageChanges(source) : undefined;
  let actionCount = 0;
  let gasUsed: bigint | undefined;
  let isCreation = false;
  let initcode: Uint8Array | undefined;
  for (const { migration, sidecarRecords: content } of item.sidecarRecords) {
    if (content?.$case === 'stateChanges') {
      for (const change of content.stateChanges.contractStateChanges) {
        if (hookStorage !== undefined && isHookContract(source, change.contractId)) {
          hookStorage.add(change.storageChanges);
        } else {
          states.add(change, migration, involved);
        }
      }
    } else if (content?.$case === 'actions') {
      const { contractActions } = content.actions;
      insertActions(source, contractActions, actionCount);
      actionCount += contractActions.length;
      const outermost = contractActions.findLast(({ callDepth }) => callDepth === 0);
      if (outermost !== undefined) gasUsed = outermost.gasUsed;
      if (outermost?.callType === CREATE) isCreation = true;
    } else if (content?.$case === 'bytecode') {
      const { bytecode } = content;
      if (migration) {
        const contractId = contractNumber(source, bytecode.contractId);
        const { runtimeBytecode } = bytecode;
        if (contractId !== EMPTY_ENTITY_ID) context.batch.migrateContract({ contractId, runtimeBytecode });
      } else {
        isCreation = true;
        initcode = initcodeOf(item, bytecode);
      }
    }
  }
  return { gasUsed, isCreation, initcode };
};
