/** What binds an account to a token: association, freezing, KYC. */

import { EMPTY_ENTITY_ID, type EntityId } from '../../../ledger/entity-id.ts';
import { TransactionType } from '../../../ledger/transaction-type.ts';
import type { AccountID, TokenID } from '../../../protobuf/generated/services/basic_types.ts';
import { type Call, defineHandler, persists, rangeFrom, type Source, touch } from '../handler.ts';
import { accountNumber, tokenNumber } from '../ids.ts';

/** Numbers in `freeze_status`. */
export const FREEZE_STATUS = { notApplicable: 0, frozen: 1, unfrozen: 2 } as const;
/** Numbers in `kyc_status`. */
export const KYC_STATUS = { notApplicable: 0, granted: 1, revoked: 2 } as const;

interface Holding {
  readonly account: AccountID | undefined;
}

const holder = (source: Source & { readonly body: Holding }): EntityId => accountNumber(source, source.body.account);

type Statuses = { readonly freeze_status: number } | { readonly kyc_status: number };

const stageStatus =
  (statuses: Statuses) =>
  (call: Call<Holding & { readonly token: TokenID | undefined }>): void => {
    const token = tokenNumber(call, call.body.token);
    if (call.entityId === EMPTY_ENTITY_ID || token === EMPTY_ENTITY_ID || !persists(call, 'tokens')) return;
    touch(call, token);
    call.context.batch.stage('token_account', {
      account_id: call.entityId,
      token_id: token,
      associated: true,
      ...statuses,
      timestamp_range: rangeFrom(call),
    });
  };

export const tokenFreeze = defineHandler(TransactionType.TOKENFREEZE, 'tokenFreeze', {
  entityId: holder,
  success: stageStatus({ freeze_status: FREEZE_STATUS.frozen }),
});

export const tokenUnfreeze = defineHandler(TransactionType.TOKENUNFREEZE, 'tokenUnfreeze', {
  entityId: holder,
  success: stageStatus({ freeze_status: FREEZE_STATUS.unfrozen }),
});

export const tokenGrantKyc = defineHandler(TransactionType.TOKENGRANTKYC, 'tokenGrantKyc', {
  entityId: holder,
  success: stageStatus({ kyc_status: KYC_STATUS.granted }),
});

export const tokenRevokeKyc = defineHandler(TransactionType.TOKENREVOKEKYC, 'tokenRevokeKyc', {
  entityId: holder,
  success: stageStatus({ kyc_status: KYC_STATUS.revoked }),
});

/** Associates an account with a token, which begins with no balance whatever was before. */
export const stageAssociation = (
  call: Call,
  account: EntityId,
  token: EntityId,
  statuses: { readonly freeze_status?: number; readonly kyc_status?: number } = {},
): void =>
  call.context.batch.stage('token_account', {
    account_id: account,
    token_id: token,
    associated: true,
    automatic_association: false,
    balance: 0n,
    balance_timestamp: call.timestamp,
    created_timestamp: call.timestamp,
    ...statuses,
    timestamp_range: rangeFrom(call),
  });

type TokenList = Holding & { readonly tokens: readonly TokenID[] };

/** Ids of the tokens in the body; none when nobody is to be bound to them. */
const tokensOf = (call: Call<TokenList>): EntityId[] =>
  call.entityId === EMPTY_ENTITY_ID || !persists(call, 'tokens')
    ? []
    : call.body.tokens.map((token) => tokenNumber(call, token)).filter((token) => token !== EMPTY_ENTITY_ID);

export const tokenAssociate = defineHandler(TransactionType.TOKENASSOCIATE, 'tokenAssociate', {
  entityId: holder,
  success(call) {
    for (const token of tokensOf(call)) {
      touch(call, token);
      stageAssociation(call, call.entityId, token);
    }
  },
});

/** What an account loses that leaves a deleted token is among the transfers. */
export const tokenDissociate = defineHandler(TransactionType.TOKENDISSOCIATE, 'tokenDissociate', {
  entityId: holder,
  success(call) {
    for (const token of tokensOf(call)) {
      touch(call, token);
      call.context.batch.stage('token_account', {
        account_id: call.entityId,
        token_id: token,
        associated: false,
        timestamp_range: rangeFrom(call),
      });
    }
  },
});
