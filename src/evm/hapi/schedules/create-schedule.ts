import type { EntityId } from '../../../ledger/entity-id.ts';
import { SchedulableTransactionBody } from '../../../protobuf/generated/services/schedulable_transaction_body.ts';
import { newEntity } from '../../state/new-entity.ts';
import { type OperationContext, refuse } from '../operation.ts';

/** Longest time, in seconds, that a schedule may wait: 62 days ([HIP-423](https://hips.hedera.com/hip/hip-423)). */
export const LONGEST_WAIT = 5_356_800n;

/** Seconds after which a schedule that names no time expires. */
const DEFAULT_WAIT = 1_800n;

const NANOS = 1_000_000_000n;

export interface ScheduleCreation {
  readonly body: SchedulableTransactionBody;
  readonly payerId: EntityId;
  /** Seconds; left out: half an hour from now. */
  readonly expirationSeconds?: bigint;
  readonly waitForExpiry: boolean;
  /** Serialized HAPI key. */
  readonly adminKey: Uint8Array | undefined;
  /** Keys that have signed already. */
  readonly signatories: readonly Uint8Array[];
}

/** Refuses times that a schedule may not be set to. */
const checkExpiration = ({ now }: Pick<OperationContext, 'now'>, expirationSeconds: bigint): void => {
  const nowSeconds = now / NANOS;
  if (expirationSeconds <= nowSeconds) refuse('SCHEDULE_EXPIRATION_TIME_MUST_BE_HIGHER_THAN_CONSENSUS_TIME');
  if (expirationSeconds > nowSeconds + LONGEST_WAIT) refuse('SCHEDULE_EXPIRATION_TIME_TOO_FAR_IN_FUTURE');
};

/** Stores a transaction to be executed later (ScheduleCreate); gives the schedule's id. */
export const createSchedule = async (context: OperationContext, creation: ScheduleCreation): Promise<EntityId> => {
  const { world, now } = context;
  const { body, payerId, expirationSeconds, waitForExpiry, adminKey, signatories } = creation;
  if ((await world.entity(payerId)) === undefined) refuse('ACCOUNT_ID_DOES_NOT_EXIST');
  if (expirationSeconds !== undefined) checkExpiration(context, expirationSeconds);
  const expirySeconds = expirationSeconds ?? now / NANOS + DEFAULT_WAIT;
  const id = await world.newEntityId();
  world.putEntity(newEntity({ id, type: 'SCHEDULE', key: adminKey, createdTimestamp: now, expirySeconds }));
  world.putSchedule({
    id,
    creatorId: context.callerId,
    payerId,
    transactionBody: SchedulableTransactionBody.encode(body).finish(),
    signatories,
    executed: false,
    deleted: false,
    adminKey,
    memo: '',
    expirationSeconds: expirySeconds,
    waitForExpiry,
    consensusTimestamp: now,
  });
  return id;
};
