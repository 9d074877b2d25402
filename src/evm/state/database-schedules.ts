/** Schedules, with their entities and the keys that have signed. */
import type { EntityId } from '../../ledger/entity-id.ts';
import { NANOS_PER_SECOND } from '../../ledger/timestamp.ts';
import { bytesOf } from './entity-row.ts';
import { type Moment, versionAt } from './moment.ts';
import type { ScheduleRecord } from './records.ts';

interface ScheduleRow {
  readonly consensus_timestamp: string;
  readonly creator_account_id: string;
  readonly deleted: boolean | null;
  readonly executed: boolean;
  readonly expiration_time: string | null;
  readonly key: Buffer | null;
  readonly memo: string;
  readonly payer_account_id: string;
  readonly schedule_id: string;
  readonly signatories: readonly Buffer[];
  readonly transaction_body: Buffer;
  readonly wait_for_expiry: boolean;
}

/** Whole public keys: 32 bytes of ED25519 (type 3), 33 of ECDSA (type 6). Each is there once, in order of signing. */
const signatories = (until: string): string => `
  array(
    select public_key_prefix from transaction_signature
    where entity_id = s.schedule_id${until}
      and ((type = 3 and length(public_key_prefix) = 32) or (type = 6 and length(public_key_prefix) = 33))
    group by public_key_prefix order by min(consensus_timestamp), public_key_prefix
  ) as signatories`;

const selected = `s.consensus_timestamp, s.creator_account_id, e.deleted, s.expiration_time, e.key, e.memo,
  s.payer_account_id, s.schedule_id, s.transaction_body, s.wait_for_expiry`;

const latestStatement = `
  select ${selected}, s.executed_timestamp is not null as executed, ${signatories('')}
  from schedule s join entity e on e.id = s.schedule_id where s.schedule_id = any ($1::bigint[])`;

const pastStatement = `
  select ${selected}, coalesce(s.executed_timestamp <= $2, false) as executed,
    ${signatories(' and consensus_timestamp <= $2')}
  from schedule s
  cross join lateral ${versionAt('entity', 'deleted, key, memo', 'id = s.schedule_id', '$2::bigint')} e
  where s.schedule_id = any ($1::bigint[]) and s.consensus_timestamp <= $2`;

const scheduleRecordOf = (row: ScheduleRow): ScheduleRecord => ({
  id: BigInt(row.schedule_id),
  creatorId: BigInt(row.creator_account_id),
  payerId: BigInt(row.payer_account_id),
  transactionBody: new Uint8Array(row.transaction_body),
  signatories: row.signatories.map((key) => new Uint8Array(key)),
  executed: row.executed,
  deleted: row.deleted === true,
  adminKey: bytesOf(row.key),
  memo: row.memo,
  expirationSeconds: row.expiration_time === null ? undefined : BigInt(row.expiration_time) / NANOS_PER_SECOND,
  waitForExpiry: row.wait_for_expiry,
  consensusTimestamp: BigInt(row.consensus_timestamp),
});

export const loadSchedules = async (
  { db, at }: Moment,
  ids: readonly EntityId[],
): Promise<(ScheduleRecord | undefined)[]> => {
  const rows =
    at === undefined
      ? await db.query<ScheduleRow>(latestStatement, [ids], 'evm-schedules')
      : await db.query<ScheduleRow>(pastStatement, [ids, at], 'evm-past-schedules');
  const records = new Map(rows.map((row) => [BigInt(row.schedule_id), scheduleRecordOf(row)]));
  return ids.map((id) => records.get(id));
};
