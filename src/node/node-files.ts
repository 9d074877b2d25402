import { defaultScheduleBytes } from '../fees/schedule/default-schedule.ts';
import type { SystemFile } from '../simulator/network/system-files.ts';

const SIMPLE_FEE_SCHEDULE = 113n;

/** System files of a network that takes transactions, beside those of every simulated one. */
export const nodeFiles: readonly SystemFile[] = [{ num: SIMPLE_FEE_SCHEDULE, contents: defaultScheduleBytes }];
