import type { EntityId } from '../../../ledger/entity-id.ts';
import { type OperationContext, refuse } from '../operation.ts';
import { pendingSchedule } from './sign-schedule.ts';

/** Takes a schedule back (ScheduleDelete). */
export const deleteSchedule = async (context: OperationContext, scheduleId: EntityId): Promise<void> => {
  const schedule = await pendingSchedule(context, scheduleId);
  if (schedule.adminKey === undefined) refuse('SCHEDULE_IS_IMMUTABLE');
  context.world.putSchedule({ ...schedule, deleted: true });
};
