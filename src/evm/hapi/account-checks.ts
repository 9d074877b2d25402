import type { EntityId } from '../../ledger/entity-id.ts';
import type { EntityRecord } from '../state/records.ts';
import { type OperationContext, refuse, type Status } from './operation.ts';

/** Whether the entity can hold hbar and tokens. */
const isAccount = ({ type }: EntityRecord): boolean => type === 'ACCOUNT' || type === 'CONTRACT';

/** The account or contract, if it exists; refuses with `status` otherwise. Deleted ones don't exist in the world. */
export const usableAccount = async (
  { world }: OperationContext,
  accountId: EntityId,
  status: Status = 'INVALID_ACCOUNT_ID',
): Promise<EntityRecord> => {
  const entity = await world.entity(accountId);
  return entity !== undefined && isAccount(entity) ? entity : refuse(status);
};
