/**
 * Airdrops that wait for their receiver, and tokens that a holder gives back
 * ([HIP-904](https://hips.hedera.com/hip/hip-904)).
 */

import type { EnumLabel } from '../../../database/column.ts';
import { EMPTY_ENTITY_ID, type EntityId } from '../../../ledger/entity-id.ts';
import { TransactionType } from '../../../ledger/transaction-type.ts';
import type { PendingAirdropId } from '../../../protobuf/generated/services/basic_types.ts';
import { int64 } from '../column-values.ts';
import { type Call, defineHandler, persists, problem, rangeFrom, touch } from '../handler.ts';
import { accountNumber, findAccount, requireAccount, tokenNumber } from '../ids.ts';
import { stageAssociation } from './token-account.ts';

interface AirdropKey {
  readonly sender_account_id: EntityId;
  readonly receiver_account_id: EntityId;
  readonly token_id: EntityId;
  /** 0 for a fungible token. */
  readonly serial_number: bigint;
}

const keepsAirdrops = (call: Call): boolean => persists(call, 'tokens') && persists(call, 'tokenAirdrops');

const tokenColumns = (call: Call, { tokenReference: token }: PendingAirdropId) => {
  switch (token?.$case) {
    case 'fungibleTokenType':
      return { token_id: tokenNumber(call, token.fungibleTokenType), serial_number: 0n };
    case 'nonFungibleToken':
      return {
        token_id: tokenNumber(call, token.nonFungibleToken.tokenID),
        serial_number: token.nonFungibleToken.serialNumber,
      };
    default:
      problem(call, 'Pending airdrop without a token');
      return undefined;
  }
};

const stageAirdrop = (call: Call, key: AirdropKey, state: EnumLabel<'airdrop_state'>, amount?: bigint): void => {
  touch(call, key.sender_account_id, key.receiver_account_id, key.token_id);
  call.context.batch.stage('token_airdrop', { ...key, amount, state, timestamp_range: rangeFrom(call) });
};

/** Records name accounts by number. */
const recordedKey = (call: Call, id: PendingAirdropId): AirdropKey | undefined => {
  const token = tokenColumns(call, id);
  return (
    token && {
      ...token,
      receiver_account_id: accountNumber(call, id.receiverId),
      sender_account_id: accountNumber(call, id.senderId),
    }
  );
};

export const tokenAirdrop = defineHandler(TransactionType.TOKENAIRDROP, 'tokenAirdrop', {
  success(call) {
    if (!keepsAirdrops(call)) return;
    for (const { pendingAirdropId: id, pendingAirdropValue: value } of call.item.record.newPendingAirdrops) {
      const key = id && recordedKey(call, id);
      if (key === undefined) continue;
      const isFungible = id?.tokenReference?.$case === 'fungibleTokenType';
      stageAirdrop(call, key, 'PENDING', isFungible ? int64(value?.amount ?? 0n) : undefined);
    }
  },
});

/** Bodies may name accounts by alias; an airdrop with an unknown party is left out. */
const givenKey = (call: Call, id: PendingAirdropId): AirdropKey | undefined => {
  const receiver = requireAccount(call, id.receiverId, 'receiver of the airdrop');
  const sender = requireAccount(call, id.senderId, 'sender of the airdrop');
  const token = tokenColumns(call, id);
  if (receiver === undefined || sender === undefined || token === undefined) return undefined;
  return { ...token, receiver_account_id: receiver, sender_account_id: sender };
};

type PendingAirdrops = Call<{ readonly pendingAirdrops: readonly PendingAirdropId[] }>;

/** Ends the airdrops that the body names and gives back their keys. */
const endAirdrops = (call: PendingAirdrops, state: 'CANCELLED' | 'CLAIMED'): AirdropKey[] => {
  if (!keepsAirdrops(call)) return [];
  const keys = call.body.pendingAirdrops.map((id) => givenKey(call, id)).filter((key) => key !== undefined);
  for (const key of keys) stageAirdrop(call, key, state);
  return keys;
};

export const tokenCancelAirdrop = defineHandler(TransactionType.TOKENCANCELAIRDROP, 'tokenCancelAirdrop', {
  success(call) {
    endAirdrops(call, 'CANCELLED');
  },
});

/** A claim associates the receiver with the token where that was missing; records don't say so. */
const associateReceiver = (call: Call, { receiver_account_id: account, token_id: token }: AirdropKey): void => {
  if (!call.context.lookup.isAssociated(account, token)) stageAssociation(call, account, token);
};

export const tokenClaimAirdrop = defineHandler(TransactionType.TOKENCLAIMAIRDROP, 'tokenClaimAirdrop', {
  success(call) {
    for (const key of endAirdrops(call, 'CLAIMED')) associateReceiver(call, key);
  },
});

/** A rejection is about its owner, who is the payer unless the body says otherwise. */
export const tokenReject = defineHandler(TransactionType.TOKENREJECT, 'tokenReject', {
  entityId(source) {
    const owner = findAccount(source, source.body.owner, 'token owner');
    return owner === EMPTY_ENTITY_ID ? source.item.payer : (owner ?? EMPTY_ENTITY_ID);
  },
  success(call) {
    for (const { tokenIdentifier: rejected } of call.body.rejections) {
      const id = rejected?.$case === 'fungibleToken' ? rejected.fungibleToken : rejected?.nft.tokenID;
      touch(call, tokenNumber(call, id));
    }
  },
});
