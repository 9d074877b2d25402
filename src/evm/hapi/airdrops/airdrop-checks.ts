import type { EntityId } from '../../../ledger/entity-id.ts';
import type { TokenRecord } from '../../state/records.ts';
import { usableAccount } from '../account-checks.ts';
import { isExempt } from '../custom-fees/exemptions.ts';
import { TRANSFER_LIST_SIZE } from '../limits.ts';
import { type OperationContext, refuse } from '../operation.ts';
import { usableRelation } from '../relation-checks.ts';
import { usableToken } from '../token-checks.ts';
import { checkTokenTransfers } from '../transfers/request-checks.ts';
import type { Party, TokenTransfers } from '../transfers/transfers.ts';

const isDebit = ({ amount }: { readonly amount: bigint }): boolean => amount < 0n;

/** Refuses lists that no airdrop can have: every token has one sender, approvals are not known. */
export const checkAirdropLists = (tokens: readonly TokenTransfers<Party>[]): void => {
  if (tokens.length === 0) refuse('EMPTY_TOKEN_TRANSFER_BODY');
  for (const { adjustments, serials } of tokens) {
    const senders = new Set([
      ...adjustments.filter(isDebit).map(({ party }) => party),
      ...serials.map(({ sender }) => sender),
    ]);
    if (senders.size > 1) refuse('AIRDROP_CONTAINS_MULTIPLE_SENDERS_FOR_A_TOKEN');
    if (adjustments.length > 0 && !adjustments.some(isDebit)) refuse('INVALID_TRANSACTION_BODY');
  }
  checkTokenTransfers(tokens, { approvalsAllowed: false });
};

/** Refuses NFT receivers who would have to pay a fallback fee. */
const checkFallbackFees = (token: TokenRecord, receiver: Party): void => {
  for (const fee of token.customFees.royalty) {
    const exempt = typeof receiver === 'bigint' && isExempt(token, fee, receiver);
    if (fee.fallback !== undefined && !exempt) refuse('TOKEN_AIRDROP_WITH_FALLBACK_ROYALTY');
  }
};

const senderId = (sender: Party): EntityId => (typeof sender === 'bigint' ? sender : refuse('INVALID_ACCOUNT_ID'));

/** Refuses what senders don't have or may not send, and more than ten adjustments or serials. */
export const checkAirdropSenders = async (
  context: OperationContext,
  tokens: readonly TokenTransfers<Party>[],
): Promise<void> => {
  let adjustmentCount = 0;
  let serialCount = 0;
  for (const { tokenId, adjustments, serials } of tokens) {
    const token = await usableToken(context, tokenId);
    for (const { party, amount } of adjustments.filter(isDebit)) {
      const account = await usableAccount(context, senderId(party));
      const relation = await usableRelation(context, account.id, tokenId);
      if (relation.balance < -amount) refuse('INSUFFICIENT_TOKEN_BALANCE');
    }
    adjustmentCount += adjustments.length;
    if (adjustmentCount > TRANSFER_LIST_SIZE) refuse('TOKEN_TRANSFER_LIST_SIZE_LIMIT_EXCEEDED');

    for (const { receiver } of serials) checkFallbackFees(token, receiver);
    for (const { sender, serialNumber } of serials) {
      const account = await usableAccount(context, senderId(sender));
      await usableRelation(context, account.id, tokenId);
      const nft = (await context.world.nft(tokenId, serialNumber)) ?? refuse('INVALID_NFT_ID');
      if (nft.ownerId !== account.id) refuse('SENDER_DOES_NOT_OWN_NFT_SERIAL_NO');
    }
    serialCount += serials.length;
    if (serialCount > TRANSFER_LIST_SIZE) refuse('BATCH_SIZE_LIMIT_EXCEEDED');
  }
};
