/** Contracts as records and sidecars name them. */
import { decodeEntityId, EMPTY_ENTITY_ID, type EntityId, encodeEntityId } from '../../ledger/entity-id.ts';
import type { ContractID } from '../../protobuf/generated/services/basic_types.ts';
import { problem, type Source } from '../transactions/handler.ts';
import { HOOK_CONTRACT_NUM } from './contract-parent.ts';

/** The number in a contract id as it stands; 0n when it is unset, an EVM address, or (with a problem noted) invalid. */
export const contractNumber = (source: Source, id: ContractID | undefined): EntityId => {
  if (id?.contract?.$case !== 'contractNum' || id.contract.contractNum === 0n) return EMPTY_ENTITY_ID;
  const { contractNum } = id.contract;
  try {
    return encodeEntityId(id.shardNum, id.realmNum, contractNum);
  } catch {
    problem(source, `Invalid contract id ${id.shardNum}.${id.realmNum}.${contractNum}`);
    return EMPTY_ENTITY_ID;
  }
};

/** Whether the id, in either form, is that of the hook system contract. */
export const isHookContract = ({ context }: Source, id: ContractID | undefined): boolean => {
  const contract = context.lookup.contract(id);
  return contract !== undefined && decodeEntityId(contract).num === HOOK_CONTRACT_NUM;
};
