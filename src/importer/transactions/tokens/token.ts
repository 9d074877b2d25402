/** Definitions of tokens: create, update, delete, pause, custom fees. */

import type { EnumLabel } from '../../../database/column.ts';
import { EMPTY_ENTITY_ID, type EntityId } from '../../../ledger/entity-id.ts';
import { TransactionType } from '../../../ledger/transaction-type.ts';
import {
  type TokenSupplyType as SupplyType,
  TokenSupplyType,
  TokenType,
} from '../../../protobuf/generated/services/basic_types.ts';
import type { TokenCreateTransactionBody } from '../../../protobuf/generated/services/token_create.ts';
import type { TokenUpdateTransactionBody } from '../../../protobuf/generated/services/token_update.ts';
import { orNull } from '../../common/ids.ts';
import { atLeastHapi } from '../../record-item.ts';
import { ifGiven, int64, shortText } from '../column-values.ts';
import {
  changedAutoRenewAccount,
  commonColumns,
  createEntity,
  deleteEntity,
  newAutoRenewAccount,
  updateEntity,
} from '../entity-versions.ts';
import { type Call, defineHandler, persists, rangeFrom, receiptOf, touch } from '../handler.ts';
import { accountNumber, tokenNumber } from '../ids.ts';
import { keyBytes, keyColumns } from '../keys.ts';
import { collectorsOfToken, stageTokenFees } from './custom-fees.ts';
import { FREEZE_STATUS, KYC_STATUS, stageAssociation } from './token-account.ts';

type TokenKeys = Pick<
  TokenCreateTransactionBody,
  'feeScheduleKey' | 'freezeKey' | 'kycKey' | 'pauseKey' | 'supplyKey' | 'wipeKey'
>;

const tokenKeys = (body: TokenKeys) => ({
  fee_schedule_key: keyBytes(body.feeScheduleKey),
  freeze_key: keyBytes(body.freezeKey),
  kyc_key: keyBytes(body.kycKey),
  pause_key: keyBytes(body.pauseKey),
  supply_key: keyBytes(body.supplyKey),
  wipe_key: keyBytes(body.wipeKey),
});

/**
 * Networks of 0.48 accept metadata in bodies without keeping it ([HIP-646](https://hips.hedera.com/hip/hip-646),
 * [HIP-765](https://hips.hedera.com/hip/hip-765)).
 */
const metadataColumns = ({ item, body }: Call<Pick<TokenUpdateTransactionBody, 'metadata' | 'metadataKey'>>) =>
  atLeastHapi(item, 0, 49) ? { metadata: body.metadata, metadata_key: keyBytes(body.metadataKey) } : {};

const supplyType = (type: SupplyType): EnumLabel<'token_supply_type'> =>
  type === TokenSupplyType.FINITE ? 'FINITE' : 'INFINITE';

const tokenType = (type: TokenType): EnumLabel<'token_type'> =>
  type === TokenType.NON_FUNGIBLE_UNIQUE ? 'NON_FUNGIBLE_UNIQUE' : 'FUNGIBLE_COMMON';

/** What an account that gets no say of its own starts with. */
const firstFreezeStatus = ({ freezeKey, freezeDefault }: TokenCreateTransactionBody): number => {
  if (freezeKey === undefined) return FREEZE_STATUS.notApplicable;
  return freezeDefault ? FREEZE_STATUS.frozen : FREEZE_STATUS.unfrozen;
};

const stageNewToken = (call: Call<TokenCreateTransactionBody>): void => {
  const { body, timestamp } = call;
  const initialSupply = int64(body.initialSupply);
  const treasury = accountNumber(call, body.treasury);
  touch(call, treasury);
  call.context.batch.stage('token', {
    ...tokenKeys(body),
    ...metadataColumns(call),
    created_timestamp: timestamp,
    decimals: BigInt(body.decimals),
    freeze_default: body.freezeDefault,
    freeze_status: firstFreezeStatus(body),
    initial_supply: initialSupply,
    kyc_status: body.kycKey === undefined ? KYC_STATUS.notApplicable : KYC_STATUS.revoked,
    max_supply: body.maxSupply,
    name: shortText(call, body.name),
    pause_status: body.pauseKey === undefined ? 'NOT_APPLICABLE' : 'UNPAUSED',
    supply_type: supplyType(body.supplyType),
    symbol: shortText(call, body.symbol),
    timestamp_range: rangeFrom(call),
    token_id: call.entityId,
    total_supply: initialSupply,
    treasury_account_id: treasury,
    type: tokenType(body.tokenType),
  });
};

/** Accounts that hold a new token: those in the record; records before 0.18 don't say, then whoever must hold it. */
const firstHolders = (call: Call<TokenCreateTransactionBody>): Set<EntityId> => {
  const recorded = call.item.record.automaticTokenAssociations;
  const holders =
    recorded.length > 0
      ? recorded.map(({ accountId }) => accountNumber(call, accountId))
      : [accountNumber(call, call.body.treasury), ...collectorsOfToken(call, call.body.customFees)];
  return new Set(holders.filter((holder) => holder !== EMPTY_ENTITY_ID));
};

const associateFirstHolders = (call: Call<TokenCreateTransactionBody>): void => {
  const { freezeKey, kycKey } = call.body;
  const statuses = {
    freeze_status: freezeKey === undefined ? FREEZE_STATUS.notApplicable : FREEZE_STATUS.unfrozen,
    kyc_status: kycKey === undefined ? KYC_STATUS.notApplicable : KYC_STATUS.granted,
  };
  for (const holder of firstHolders(call)) {
    touch(call, holder);
    stageAssociation(call, holder, call.entityId, statuses);
  }
};

export const tokenCreate = defineHandler(TransactionType.TOKENCREATION, 'tokenCreation', {
  entityId: (source) => tokenNumber(source, receiptOf(source)?.tokenID),
  success(call) {
    const { autoRenewAccount, autoRenewPeriod, expiry, memo, adminKey, customFees } = call.body;
    createEntity(call, 'TOKEN', {
      ...commonColumns({ autoRenewPeriod, expirationTime: expiry, memo }),
      ...keyColumns(adminKey),
      auto_renew_account_id: newAutoRenewAccount(call, autoRenewAccount),
    });
    if (call.entityId === EMPTY_ENTITY_ID || !persists(call, 'tokens')) return;
    stageNewToken(call);
    stageTokenFees(call, customFees);
    associateFirstHolders(call);
  },
});

const ifNamed = (call: Call, text: string): string | undefined => (text === '' ? undefined : shortText(call, text));

const stageChangedToken = (call: Call<TokenUpdateTransactionBody>): void => {
  const { body } = call;
  const treasury = ifGiven(body.treasury, (account) => orNull(accountNumber(call, account)));
  touch(call, treasury);
  call.context.batch.stage('token', {
    ...tokenKeys(body),
    ...metadataColumns(call),
    name: ifNamed(call, body.name),
    symbol: ifNamed(call, body.symbol),
    timestamp_range: rangeFrom(call),
    token_id: call.entityId,
    treasury_account_id: treasury,
  });
};

export const tokenUpdate = defineHandler(TransactionType.TOKENUPDATE, 'tokenUpdate', {
  entityId: (source) => tokenNumber(source, source.body.token),
  success(call) {
    const { autoRenewAccount, autoRenewPeriod, expiry, memo, adminKey } = call.body;
    updateEntity(call, 'TOKEN', {
      ...commonColumns({ autoRenewPeriod, expirationTime: expiry, memo }),
      ...keyColumns(adminKey),
      auto_renew_account_id: changedAutoRenewAccount(call, autoRenewAccount),
    });
    if (call.entityId !== EMPTY_ENTITY_ID && persists(call, 'tokens')) stageChangedToken(call);
  },
});

export const tokenDelete = defineHandler(TransactionType.TOKENDELETION, 'tokenDeletion', {
  entityId: (source) => tokenNumber(source, source.body.token),
  success: (call) => deleteEntity(call, 'TOKEN'),
});

export const tokenFeeScheduleUpdate = defineHandler(TransactionType.TOKENFEESCHEDULEUPDATE, 'tokenFeeScheduleUpdate', {
  entityId: (source) => tokenNumber(source, source.body.tokenId),
  success(call) {
    if (call.entityId !== EMPTY_ENTITY_ID && persists(call, 'tokens')) stageTokenFees(call, call.body.customFees);
  },
});

const stagePauseStatus = (call: Call, status: 'PAUSED' | 'UNPAUSED'): void => {
  if (call.entityId === EMPTY_ENTITY_ID || !persists(call, 'tokens')) return;
  call.context.batch.stage('token', {
    token_id: call.entityId,
    pause_status: status,
    timestamp_range: rangeFrom(call),
  });
};

export const tokenPause = defineHandler(TransactionType.TOKENPAUSE, 'tokenPause', {
  entityId: (source) => tokenNumber(source, source.body.token),
  success: (call) => stagePauseStatus(call, 'PAUSED'),
});

export const tokenUnpause = defineHandler(TransactionType.TOKENUNPAUSE, 'tokenUnpause', {
  entityId: (source) => tokenNumber(source, source.body.token),
  success: (call) => stagePauseStatus(call, 'UNPAUSED'),
});
