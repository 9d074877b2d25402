import { describe, expect, it } from 'vitest';
import { SchedulableTransactionBody } from '../../../protobuf/generated/services/schedulable_transaction_body.ts';
import { entityRecord } from '../../state/testing/memory-reader.fixture.ts';
import { operationContext, statusOf } from '../testing/operation.fixture.ts';
import { createSchedule, type ScheduleCreation } from './create-schedule.ts';
import { deleteSchedule } from './delete-schedule.ts';
import { signSchedule } from './sign-schedule.ts';

const PAYER = 1001n;
const NOW = 1_700_000_000n;
const key = new Uint8Array(32).fill(7);

const creation = (changes: Partial<ScheduleCreation> = {}): ScheduleCreation => ({
  body: SchedulableTransactionBody.fromPartial({ memo: 'later' }),
  payerId: PAYER,
  waitForExpiry: true,
  adminKey: key,
  signatories: [],
  ...changes,
});

const ledger = () => operationContext({ entities: [entityRecord(PAYER)] }, PAYER);

describe('schedules', () => {
  it('are created with what they will execute', async () => {
    const context = ledger();
    const id = await createSchedule(context, creation({ expirationSeconds: NOW + 60n }));
    expect(id).toBe(2002n);
    expect(await context.world.schedule(id)).toMatchObject({
      payerId: PAYER,
      creatorId: PAYER,
      executed: false,
      expirationSeconds: NOW + 60n,
      waitForExpiry: true,
    });
    expect(await context.world.entity(id)).toMatchObject({ type: 'SCHEDULE', expirySeconds: NOW + 60n });
  });

  it('expire after half an hour when nothing is said', async () => {
    const context = ledger();
    const id = await createSchedule(context, creation());
    expect((await context.world.schedule(id))?.expirationSeconds).toBe(NOW + 1_800n);
  });

  it.each([
    ['ACCOUNT_ID_DOES_NOT_EXIST', { payerId: 9_009n }],
    ['SCHEDULE_EXPIRATION_TIME_MUST_BE_HIGHER_THAN_CONSENSUS_TIME', { expirationSeconds: NOW }],
    ['SCHEDULE_EXPIRATION_TIME_TOO_FAR_IN_FUTURE', { expirationSeconds: NOW + 5_356_801n }],
  ])('are refused: %s', async (status, changes) => {
    const context = ledger();
    expect(await statusOf(context, () => createSchedule(context, creation(changes)))).toBe(status);
    expect(await context.world.schedule(2002n)).toBeUndefined();
  });

  it('take each key once', async () => {
    const context = ledger();
    const scheduleId = await createSchedule(context, creation());
    const sign = () => signSchedule(context, { scheduleId, keys: [key] });
    expect(await statusOf(context, sign)).toBe('SUCCESS');
    expect(await statusOf(context, sign)).toBe('NO_NEW_VALID_SIGNATURES');
    expect((await context.world.schedule(scheduleId))?.signatories).toEqual([key]);
    expect(await statusOf(context, () => signSchedule(context, { scheduleId: 9n, keys: [key] }))).toBe(
      'INVALID_SCHEDULE_ID',
    );
  });

  it('are deleted once, and only with an admin key', async () => {
    const context = ledger();
    const id = await createSchedule(context, creation());
    expect(await statusOf(context, () => deleteSchedule(context, id))).toBe('SUCCESS');
    expect(await statusOf(context, () => deleteSchedule(context, id))).toBe('SCHEDULE_ALREADY_DELETED');
    const immutable = await createSchedule(context, creation({ adminKey: undefined }));
    expect(await statusOf(context, () => deleteSchedule(context, immutable))).toBe('SCHEDULE_IS_IMMUTABLE');
    const executed = await createSchedule(context, creation());
    const record = await context.world.schedule(executed);
    if (record !== undefined) context.world.putSchedule({ ...record, executed: true });
    expect(await statusOf(context, () => deleteSchedule(context, executed))).toBe('SCHEDULE_ALREADY_EXECUTED');
  });
});
