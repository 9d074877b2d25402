import type { EnumLabel } from '../../database/column.ts';
import { EMPTY_ENTITY_ID, type EntityId } from '../../ledger/entity-id.ts';
import { nanosOf } from '../../ledger/timestamp.ts';
import type { AccountID } from '../../protobuf/generated/services/basic_types.ts';
import type { Duration } from '../../protobuf/generated/services/duration.ts';
import type { Timestamp } from '../../protobuf/generated/services/timestamp.ts';
import type { StagedVersion } from '../tables/registry.ts';
import { ifGiven, int64, storedText } from './column-values.ts';
import { type Call, rangeFrom, touch } from './handler.ts';
import { findAccount, requireAccount } from './ids.ts';

type EntityType = EnumLabel<'entity_type'>;

/** Columns of an entity that a transaction gives; the others stay as they are. */
export type EntityChange = Omit<StagedVersion<'entity'>, 'id' | 'type' | 'timestamp_range'>;

const stageVersion = (call: Call, type: EntityType, change: EntityChange): void => {
  const { context, entityId: id } = call;
  if (id !== EMPTY_ENTITY_ID) context.batch.stage('entity', { id, type, timestamp_range: rangeFrom(call), ...change });
};

/** First version of the transaction's main entity; nothing when it has none. */
export const createEntity = (call: Call, type: EntityType, columns: EntityChange): void =>
  stageVersion(call, type, { created_timestamp: call.timestamp, deleted: false, ...columns });

/** Version of the main entity with the columns that an update gives. */
export const updateEntity = (call: Call, type: EntityType, columns: EntityChange): void =>
  stageVersion(call, type, { deleted: false, ...columns });

/** Version of the main entity that ends it. */
export const deleteEntity = (call: Call, type: EntityType, columns: EntityChange = {}): void =>
  stageVersion(call, type, { deleted: true, ...columns });

/** Columns that bodies of several entity types carry under these names. */
interface CommonFields {
  readonly memo?: string | undefined;
  readonly autoRenewPeriod?: Duration | undefined;
  readonly expirationTime?: Timestamp | undefined;
}

/** Memo, auto-renew period (seconds) and expiration (nanoseconds), where the body gives them. */
export const commonColumns = ({ memo, autoRenewPeriod, expirationTime }: CommonFields): EntityChange => ({
  memo: ifGiven(memo, storedText),
  auto_renew_period: ifGiven(autoRenewPeriod, ({ seconds }) => int64(seconds)),
  expiration_timestamp: ifGiven(expirationTime, nanosOf),
});

const AUTO_RENEW_ACCOUNT = 'auto renew account';

const touched = (call: Call, id: EntityId | undefined): EntityId | undefined => {
  touch(call, id);
  return id;
};

/** Account that pays for the renewal of a new entity; one that is unknown or empty is left out. */
export const newAutoRenewAccount = (call: Call, account: AccountID | undefined): EntityId | undefined =>
  account === undefined ? undefined : touched(call, requireAccount(call, account, AUTO_RENEW_ACCOUNT));

/** The same for an update, where 0.0.0 clears the account. */
export const changedAutoRenewAccount = (call: Call, account: AccountID | undefined): EntityId | undefined =>
  account === undefined ? undefined : touched(call, findAccount(call, account, AUTO_RENEW_ACCOUNT));
