/** Encoded ids of the number forms that records use; aliases count as empty. */
import { EMPTY_ENTITY_ID, type EntityId, encodeEntityId } from '../../ledger/entity-id.ts';
import type { AccountID, TokenID } from '../../protobuf/generated/services/basic_types.ts';

/** @throws KagamiError INVALID_ENTITY_ID when a part is negative or too large. */
export const accountIdOf = (id: AccountID | undefined): EntityId => {
  if (id === undefined) return EMPTY_ENTITY_ID;
  const num = id.account?.$case === 'accountNum' ? id.account.accountNum : 0n;
  return encodeEntityId(id.shardNum, id.realmNum, num);
};

/** For ids that a payer wrote and no one checked: an impossible one is empty. */
export const accountIdOrEmpty = (id: AccountID | undefined): EntityId => {
  try {
    return accountIdOf(id);
  } catch {
    return EMPTY_ENTITY_ID;
  }
};

/** @throws KagamiError INVALID_ENTITY_ID when a part is negative or too large. */
export const tokenIdOf = (id: TokenID | undefined): EntityId =>
  id === undefined ? EMPTY_ENTITY_ID : encodeEntityId(id.shardNum, id.realmNum, id.tokenNum);

/** Typed id columns hold NULL for the empty id. */
export const orNull = (id: EntityId): EntityId | null => (id === EMPTY_ENTITY_ID ? null : id);
