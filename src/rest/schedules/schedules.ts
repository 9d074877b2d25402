/** The routes of `/api/v1/schedules`. They read `schedule`, `entity` and `transaction_signature`. */
import type { Route } from '../../api/route.ts';
import { scheduleById, scheduleByShortPath } from './schedule-by-id.ts';
import { scheduleList } from './schedule-list.ts';

export const scheduleRoutes: readonly Route[] = [scheduleList, scheduleById, scheduleByShortPath];
