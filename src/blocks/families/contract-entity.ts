/** Updates and deletions of contracts, whose receipts name the contract by its number. */
import { toHex } from '../../ledger/bytes.ts';
import { numOfLongZeroAddress } from '../../ledger/evm-address.ts';
import { ContractID } from '../../protobuf/generated/services/basic_types.ts';
import type { Family, RecordParts } from '../record-parts.ts';
import type { TransactionView } from '../transaction-view.ts';

/** A contract that the block does not tell may be known by its address all the same; the body still names it. */
const addContractId = (view: TransactionView, given: ContractID | undefined, parts: RecordParts): void => {
  const contract = given?.contract;
  if (given === undefined || contract === undefined) return;
  const contractNum = contract.$case === 'contractNum' ? contract.contractNum : numberOf(view, contract.evmAddress);
  if (contractNum === undefined) {
    if (contract.$case === 'evmAddress') {
      parts.lacks('contract id', `no state change names address ${toHex(contract.evmAddress)}`);
    }
    return;
  }
  const { shardNum, realmNum } = given;
  parts.receipt.contractID = ContractID.fromPartial({
    shardNum,
    realmNum,
    contract: { $case: 'contractNum', contractNum },
  });
};

const numberOf = (view: TransactionView, address: Uint8Array): bigint | undefined =>
  numOfLongZeroAddress(address) ?? view.inState((state) => state.contractsByAlias.get(toHex(address)));

export const contractUpdate: Family = (view, parts) => {
  if (view.isSuccessful)
    addContractId(view, view.data('contractUpdateInstance')?.contractUpdateInstance.contractID, parts);
};

export const contractDelete: Family = (view, parts) => {
  if (view.isSuccessful)
    addContractId(view, view.data('contractDeleteInstance')?.contractDeleteInstance.contractID, parts);
};
