import { fees } from '../../network/fee-schedule.ts';
import type { BlockBuilder } from '../../records/block-builder.ts';
import { accountId, tokenId } from '../../records/proto-ids.ts';
import { associate } from '../../state/account-book.ts';
import type { Account, Token } from '../../state/ledger-entities.ts';
import { removeFrom } from '../../state/ledger-state.ts';
import { withoutEntry } from '../../state/sparse.ts';
import { type Activity, chooseHolder, chooseToken, chooseUser, isOpen, MAX_HOLDERS } from '../choose.ts';

const HBAR = 100_000_000n;

export const associateToken: Activity = (builder) => {
  const token = chooseToken(builder);
  const account = chooseUser(builder, HBAR);
  if (token === undefined || account === undefined) return false;
  if (account.holdings.has(token.num) || token.holders.length >= MAX_HOLDERS) return false;
  submitAssociation(builder, token, account);
  return true;
};

/** A user is associated with a collection in which others may receive NFTs. */
export const associateCollector: Activity = (builder) => {
  const { users, nfts } = builder.state;
  const token = nfts.find(isOpen);
  const account = token && users.find((user) => !user.holdings.has(token.num) && user.balance >= HBAR);
  if (token === undefined || account === undefined) return false;
  submitAssociation(builder, token, account);
  return true;
};

const submitAssociation = (builder: BlockBuilder, token: Token, account: Account): void => {
  builder.submit({
    payer: account,
    fee: fees.associate,
    data: {
      $case: 'tokenAssociate',
      tokenAssociate: { account: accountId(account.num), tokens: [tokenId(token.num)] },
    },
  });
  associate(account, token);
};

export const dissociateToken: Activity = (builder) => {
  const token = chooseToken(builder);
  if (token === undefined) return false;
  const account = chooseHolder(builder, token, (holding) => holding.balance === 0n && !holding.frozen);
  if (account === undefined || account.userIndex < 0 || account.balance < HBAR) return false;
  builder.submit({
    payer: account,
    fee: fees.associate,
    data: {
      $case: 'tokenDissociate',
      tokenDissociate: { account: accountId(account.num), tokens: [tokenId(token.num)] },
    },
  });
  account.holdings = withoutEntry(account.holdings, token.num);
  // Allowances outlive the association.
  removeFrom(token.holders, account);
  return true;
};

/** Freezes a holder, or more often ends a freeze. */
export const freezeHolder: Activity = (builder) => {
  const token = chooseToken(builder);
  if (token === undefined || !token.hasFreezeKey || token.treasury.balance < HBAR) return false;
  const frozen = token.holders.find((holder) => holder.holdings.get(token.num)?.frozen === true);
  const account = frozen ?? chooseHolder(builder, token, () => true);
  const holding = account?.holdings.get(token.num);
  if (account === undefined || holding === undefined || account.deleted) return false;
  const target = { token: tokenId(token.num), account: accountId(account.num) };
  builder.submit({
    payer: token.treasury,
    fee: fees.tokenManage,
    data: holding.frozen
      ? { $case: 'tokenUnfreeze', tokenUnfreeze: target }
      : { $case: 'tokenFreeze', tokenFreeze: target },
  });
  holding.frozen = !holding.frozen;
  return true;
};

/** Grants KYC to somebody who waits for it, now and then revokes it. */
export const decideKyc: Activity = (builder) => {
  const { random, state } = builder;
  const token = [...state.fungible, ...state.nfts].find((candidate) => candidate.hasKycKey && !candidate.paused);
  if (token === undefined || token.treasury.balance < HBAR) return false;
  const waiting = chooseHolder(builder, token, (candidate) => !candidate.kyc);
  const account = waiting ?? (random.chance(0.2) ? chooseHolder(builder, token, () => true) : undefined);
  const holding = account?.holdings.get(token.num);
  if (account === undefined || holding === undefined || account.deleted) return false;
  const target = { token: tokenId(token.num), account: accountId(account.num) };
  builder.submit({
    payer: token.treasury,
    fee: fees.tokenManage,
    data: holding.kyc
      ? { $case: 'tokenRevokeKyc', tokenRevokeKyc: target }
      : { $case: 'tokenGrantKyc', tokenGrantKyc: target },
  });
  holding.kyc = !holding.kyc;
  return true;
};
