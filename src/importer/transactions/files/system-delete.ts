/** Deletion of files and contracts by the network's administrators, and its reversal. */

import { EMPTY_ENTITY_ID, type EntityId } from '../../../ledger/entity-id.ts';
import { TransactionType } from '../../../ledger/transaction-type.ts';
import type { SystemUndeleteTransactionBody } from '../../../protobuf/generated/services/system_undelete.ts';
import { deleteEntity, updateEntity } from '../entity-versions.ts';
import { type Call, defineHandler, type Source } from '../handler.ts';
import { fileNumber, firstContract } from '../ids.ts';

type Target = Pick<SystemUndeleteTransactionBody, 'id'>;

const targetOf = (source: Source & { readonly body: Target }): EntityId => {
  const { id } = source.body;
  if (id?.$case === 'contractID') return firstContract(source, id.contractID);
  return id?.$case === 'fileID' ? fileNumber(source, id.fileID) : EMPTY_ENTITY_ID;
};

const targetType = ({ body: { id } }: Call<Target>): 'CONTRACT' | 'FILE' =>
  id?.$case === 'contractID' ? 'CONTRACT' : 'FILE';

export const systemDelete = defineHandler(TransactionType.SYSTEMDELETE, 'systemDelete', {
  entityId: targetOf,
  success: (call) => deleteEntity(call, targetType(call)),
});

export const systemUndelete = defineHandler(TransactionType.SYSTEMUNDELETE, 'systemUndelete', {
  entityId: targetOf,
  success: (call) => updateEntity(call, targetType(call), {}),
});
