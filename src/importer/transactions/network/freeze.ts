/** Freezes of the network. */

import { epochDayOf, NANOS_PER_SECOND, type Nanos, nanosOf } from '../../../ledger/timestamp.ts';
import { TransactionType } from '../../../ledger/transaction-type.ts';
import type { FreezeTransactionBody } from '../../../protobuf/generated/services/freeze.ts';
import { FreezeType } from '../../../protobuf/generated/services/freeze_type.ts';
import { orNull } from '../../common/ids.ts';
import { int64 } from '../column-values.ts';
import { type Call, defineHandler } from '../handler.ts';
import { fileNumber } from '../ids.ts';

const KNOWN_TYPES: ReadonlySet<number> = new Set(Object.values(FreezeType));

const NANOS_PER_MINUTE = 60n * NANOS_PER_SECOND;
const NANOS_PER_DAY = 24n * 60n * NANOS_PER_MINUTE;

const timeOfDay = (hour: number, minute: number): Nanos => BigInt(hour * 60 + minute) * NANOS_PER_MINUTE;

/** When a freeze begins and ends. Bodies of old give times of the day (UTC); the end may lie on the next day. */
const freezeTimes = (body: FreezeTransactionBody, timestamp: Nanos): { start_time: Nanos; end_time: Nanos | null } => {
  if (body.startTime !== undefined) return { start_time: nanosOf(body.startTime), end_time: null };
  const day = epochDayOf(timestamp) * NANOS_PER_DAY;
  const endDay = body.startHour > body.endHour ? day + NANOS_PER_DAY : day;
  return {
    start_time: int64(day + timeOfDay(body.startHour, body.startMin)),
    end_time: int64(endDay + timeOfDay(body.endHour, body.endMin)),
  };
};

const insertFreeze = (call: Call<FreezeTransactionBody>): void =>
  call.context.batch.insert('network_freeze', {
    ...freezeTimes(call.body, call.timestamp),
    consensus_timestamp: call.timestamp,
    file_hash: call.body.fileHash,
    file_id: orNull(call.entityId),
    payer_account_id: call.item.payer,
    type: KNOWN_TYPES.has(call.body.freezeType) ? call.body.freezeType : FreezeType.UNKNOWN_FREEZE_TYPE,
  });

export const freeze = defineHandler(TransactionType.FREEZE, 'freeze', {
  entityId: (source) => fileNumber(source, source.body.updateFile),
  success: insertFreeze,
});
