import { usableAccount } from '../account-checks.ts';
import { type OperationContext, refuse } from '../operation.ts';
import { setBalance } from '../relation-balance.ts';
import { relationOf, requireKyc, usableRelation } from '../relation-checks.ts';
import { usableToken } from '../token-checks.ts';
import { checkSpender, spendAllowance } from './approvals.ts';
import { paidFee } from './paid-fee.ts';
import type { AssessedFee, SerialTransfer, TokenTransfers } from './transfers.ts';

/** Moves units of fungible tokens; `assessed` are the custom fees of the whole transfer. */
export const moveUnits = async (
  context: OperationContext,
  tokens: readonly TokenTransfers[],
  assessed: readonly AssessedFee[],
): Promise<void> => {
  const { world } = context;
  for (const { tokenId, adjustments } of tokens) {
    const token = await usableToken(context, tokenId);
    for (const { party } of adjustments) {
      if (token.type !== 'FUNGIBLE_COMMON') refuse('ACCOUNT_AMOUNT_TRANSFERS_ONLY_ALLOWED_FOR_FUNGIBLE_COMMON');
      await usableAccount(context, party);
      requireKyc(await usableRelation(context, party, tokenId));
    }
  }
  for (const { tokenId, adjustments } of tokens) {
    for (const { party, amount, isApproval } of adjustments) {
      if (isApproval && amount < 0n) await spendAllowance(context, tokenId, party, -amount);
    }
  }
  for (const { tokenId, adjustments } of tokens) {
    for (const { party, amount } of adjustments) {
      const relation = await relationOf(context, party, tokenId);
      const balance = relation.balance + amount;
      if (balance < 0n) {
        refuse(
          paidFee(assessed, tokenId, party)
            ? 'INSUFFICIENT_SENDER_ACCOUNT_BALANCE_FOR_CUSTOM_FEE'
            : 'INSUFFICIENT_TOKEN_BALANCE',
        );
      }
      await setBalance(world, relation, balance);
    }
  }
};

const moveSerial = async (
  context: OperationContext,
  tokenId: TokenTransfers['tokenId'],
  { sender, receiver, serialNumber, isApproval }: SerialTransfer,
): Promise<void> => {
  const { world } = context;
  await usableAccount(context, sender);
  await usableAccount(context, receiver);
  const from = await usableRelation(context, sender, tokenId);
  const to = await usableRelation(context, receiver, tokenId);
  requireKyc(from);
  requireKyc(to);
  const nft = (await world.nft(tokenId, serialNumber)) ?? refuse('INVALID_NFT_ID');
  if (isApproval) await checkSpender(context, sender, nft);
  if (nft.ownerId !== sender) refuse('SENDER_DOES_NOT_OWN_NFT_SERIAL_NO');
  world.putNft({ ...nft, ownerId: receiver, spenderId: undefined, delegatingSpenderId: undefined });
  await setBalance(world, from, from.balance - 1n);
  await setBalance(world, to, to.balance + 1n);
};

/** Moves serials of non-fungible tokens, which lose their spenders. */
export const moveSerials = async (context: OperationContext, tokens: readonly TokenTransfers[]): Promise<void> => {
  for (const { tokenId, serials } of tokens) {
    await usableToken(context, tokenId);
    for (const serial of serials) await moveSerial(context, tokenId, serial);
  }
};
