/** Schedules that calls name. */
import type { EntityId } from '../../../ledger/entity-id.ts';
import { refuse } from '../../hapi/operation.ts';
import type { AddressHex } from '../../state/records.ts';
import type { FunctionCall } from '../function-call.ts';
import type { RunContext } from '../system-contract.ts';

/** Id of the schedule at an address; refuses INVALID_SCHEDULE_ID, which takes the whole frame with it. */
export const scheduleIdAt = async (address: AddressHex, { world }: RunContext): Promise<EntityId> => {
  const id = await world.idAt(address);
  return id !== undefined && (await world.schedule(id)) !== undefined ? id : refuse('INVALID_SCHEDULE_ID');
};

/** Id of the schedule that a redirect is for. */
export const redirectedScheduleId = (call: FunctionCall, run: RunContext): Promise<EntityId> =>
  scheduleIdAt(call.target ?? call.recipient, run);
