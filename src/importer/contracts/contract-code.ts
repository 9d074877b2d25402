/** The row of a new contract: where its code comes from, and what code that is. */
import type { RowOf } from '../../database/table.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import type { ContractID } from '../../protobuf/generated/services/basic_types.ts';
import type { ContractCreateTransactionBody } from '../../protobuf/generated/services/contract_create.ts';
import type { ContractBytecode } from '../../protobuf/generated/streams/contract_bytecode.ts';
import { orNull } from '../common/ids.ts';
import type { RecordItem } from '../record-item.ts';
import type { Source } from '../transactions/handler.ts';
import { fileNumber } from '../transactions/ids.ts';
import { ethereumTransactionOf } from './ethereum-of.ts';

type Initcode = ContractCreateTransactionBody['initcodeSource'];

const sameContract = (a: ContractID | undefined, b: ContractID | undefined): boolean => {
  const [ofA, ofB] = [a?.contract, b?.contract];
  if (a === undefined || b === undefined || a.shardNum !== b.shardNum || a.realmNum !== b.realmNum) return false;
  if (ofA?.$case === 'contractNum') return ofB?.$case === 'contractNum' && ofA.contractNum === ofB.contractNum;
  return (
    ofA?.$case === 'evmAddress' && ofB?.$case === 'evmAddress' && Buffer.compare(ofA.evmAddress, ofB.evmAddress) === 0
  );
};

/** What a sidecar says about the code of the contract of the receipt; code that a state migration reveals is not meant. */
const bytecodeOf = (item: RecordItem): ContractBytecode | undefined => {
  for (const { migration, sidecarRecords } of item.sidecarRecords) {
    if (migration || sidecarRecords?.$case !== 'bytecode') continue;
    const { bytecode } = sidecarRecords;
    if (sameContract(bytecode.contractId, item.record.receipt?.contractID)) return bytecode;
  }
  return undefined;
};

/**
 * A contract that another transaction creates comes without code of its own: it is that of a creation, or what an
 * Ethereum transaction sends.
 */
const initcodeOfParent = (parent: RecordItem | undefined): Initcode => {
  const data = parent?.body.data;
  if (parent === undefined || data === undefined) return undefined;
  if (data.$case === 'contractCreateInstance') return data.contractCreateInstance.initcodeSource;
  const transaction = ethereumTransactionOf(parent);
  if (data.$case !== 'ethereumTransaction' || transaction === undefined) return undefined;
  const { callData: initcode } = transaction;
  const file = data.ethereumTransaction.callData;
  return initcode.length > 0 || file === undefined
    ? { $case: 'initcode', initcode }
    : { $case: 'fileID', fileID: file };
};

const fileOf = (source: Source, initcode: Initcode): EntityId | null =>
  initcode?.$case === 'fileID' ? orNull(fileNumber(source, initcode.fileID)) : null;

const initcodeIn = (initcode: Initcode): Uint8Array | null =>
  initcode?.$case === 'initcode' ? initcode.initcode : null;

/** The row of the contract `id` that a successful ContractCreate made. */
export const contractRow = (
  source: Source,
  id: EntityId,
  { initcodeSource }: Pick<ContractCreateTransactionBody, 'initcodeSource'>,
): RowOf<'contract'> => {
  const { item } = source;
  const bytecode = bytecodeOf(item);
  const inherited = initcodeOfParent(item.parent);
  return {
    id,
    file_id: fileOf(source, initcodeSource) ?? fileOf(source, inherited),
    initcode: initcodeIn(initcodeSource) ?? bytecode?.initcode ?? initcodeIn(inherited),
    runtime_bytecode: bytecode?.runtimeBytecode ?? null,
  };
};
