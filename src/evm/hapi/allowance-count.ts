import type { EntityId } from '../../ledger/entity-id.ts';
import type { World } from '../state/world.ts';
import { ALLOWANCES_PER_ACCOUNT } from './limits.ts';
import { refuse } from './operation.ts';

interface AllowanceChange {
  readonly ownerId: EntityId;
  readonly had: boolean;
  readonly has: boolean;
}

const changeOf = ({ had, has }: AllowanceChange): number => Number(has) - Number(had);

/** Notes that one of an owner's allowances came or went. */
export const noteAllowance = (world: World, change: AllowanceChange): Promise<void> =>
  world.changeAllowanceCount(change.ownerId, changeOf(change));

/** Notes an approval. Refuses: MAX_ALLOWANCES_EXCEEDED when the owner has too many then, whichever was changed. */
export const noteApproval = async (world: World, change: AllowanceChange): Promise<void> => {
  if ((await world.allowanceCount(change.ownerId)) + changeOf(change) > ALLOWANCES_PER_ACCOUNT) {
    refuse('MAX_ALLOWANCES_EXCEEDED');
  }
  await noteAllowance(world, change);
};
