import type { RouteContext } from '../../api/route.ts';
import { findSystemFile } from '../../api/system-file.ts';
import { MAX_NANOS } from '../../ledger/timestamp.ts';
import { FeeSchedule as FeeScheduleMessage } from '../../protobuf/generated/fees/fee_schedule.ts';
import { decodeWhole } from '../whole-message.ts';
import { defaultSchedule } from './default-schedule.ts';
import { type FeeSchedule, feeScheduleOf } from './fee-schedule.ts';

const simpleFeeScheduleFileNumber = 113n;

const allTime = { lower: 0n, upper: MAX_NANOS };

/**
 * The schedule in the bytes of file 113.
 * @throws Error when they can't be decoded, KagamiError FEE_SCHEDULE_INVALID when what they say can't be.
 */
export const decodeFeeSchedule = (bytes: Uint8Array): FeeSchedule =>
  feeScheduleOf(decodeWhole(FeeScheduleMessage, bytes));

/**
 * The newest valid schedule that the network stored; the default while there is none. A file that is still being
 * uploaded is passed over, as is one that makes no sense, until the network accepts another.
 */
export const currentSchedule = async (context: RouteContext): Promise<FeeSchedule> => {
  const file = await findSystemFile(context, simpleFeeScheduleFileNumber, allTime, decodeFeeSchedule);
  return file?.content ?? defaultSchedule;
};
