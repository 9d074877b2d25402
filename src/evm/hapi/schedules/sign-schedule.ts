import type { EntityId } from '../../../ledger/entity-id.ts';
import type { ScheduleRecord } from '../../state/records.ts';
import { type OperationContext, refuse } from '../operation.ts';

/** A schedule that waits for signatures. Refuses: INVALID_SCHEDULE_ID, SCHEDULE_ALREADY_DELETED, SCHEDULE_ALREADY_EXECUTED. */
export const pendingSchedule = async ({ world }: OperationContext, scheduleId: EntityId): Promise<ScheduleRecord> => {
  const schedule = (await world.schedule(scheduleId)) ?? refuse('INVALID_SCHEDULE_ID');
  if (schedule.deleted) refuse('SCHEDULE_ALREADY_DELETED');
  if (schedule.executed) refuse('SCHEDULE_ALREADY_EXECUTED');
  return schedule;
};

/**
 * Adds keys to those that have signed (ScheduleSign). Simulation stops there: it does not execute the transaction even
 * when the last signature arrives.
 */
export const signSchedule = async (
  context: OperationContext,
  { scheduleId, keys }: { readonly scheduleId: EntityId; readonly keys: readonly Uint8Array[] },
): Promise<void> => {
  const schedule = await pendingSchedule(context, scheduleId);
  const known = schedule.signatories.map((key) => Buffer.from(key));
  const added = keys.filter((key) => !known.some((other) => other.equals(key)));
  if (added.length === 0) refuse('NO_NEW_VALID_SIGNATURES');
  context.world.putSchedule({ ...schedule, signatories: [...schedule.signatories, ...added] });
};
