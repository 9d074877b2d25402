/** Changes of tokens and their holders that are rarer than transfers. */

import { protobufKey } from '../../keys/account-key.ts';
import { fees } from '../../network/fee-schedule.ts';
import type { BlockBuilder } from '../../records/block-builder.ts';
import { accountId, tokenId } from '../../records/proto-ids.ts';
import { addToHolding, associate, removeSerial } from '../../state/account-book.ts';
import type { Account, Token } from '../../state/ledger-entities.ts';
import { removeFrom } from '../../state/ledger-state.ts';
import { withMember, withoutEntry, withoutMember } from '../../state/sparse.ts';
import { type Activity, canMove, chooseOther, chooseReceiver, chooseSerial, chooseToken } from '../choose.ts';
import { automaticAssociations, nftTransfers, recordTransfers } from './token-record.ts';

const HBAR = 100_000_000n;
/** Stands for all serial numbers of the treasury. */
const ALL_SERIALS = -1n;
const MAX_GRANTS = 20;

/** What the treasury has goes to a new one, which holds all keys from then on. */
export const changeTreasury: Activity = (builder) => {
  const token = chooseToken(builder);
  const next = token && chooseOther(builder, token.treasury);
  if (token === undefined || next?.key === undefined || token.treasury.balance < HBAR || next.balance < HBAR) {
    return false;
  }
  // Fees would go on to the old one, and records don't tell whether the new one is granted KYC.
  if (
    token.kept ||
    token.fees.length > 0 ||
    token.hasKycKey ||
    token.frozenAtFirst ||
    token.treasury.holdings.get(token.num)?.frozen === true
  )
    return false;
  if (next.holdings.has(token.num) || next.autoAssociations === 0) return false;
  submitTreasuryChange(builder, token, next);
  return true;
};

const submitTreasuryChange = (builder: BlockBuilder, token: Token, next: Account): void => {
  const previous = token.treasury;
  const key = next.key && protobufKey(next.key);
  const held = previous.holdings.get(token.num)?.balance ?? 0n;
  associate(next, token);
  if (next.autoAssociations > 0) next.autoAssociations--;
  addToHolding(previous, token, -held);
  addToHolding(next, token, held);
  if (token.nft) {
    for (const [serial, owner] of token.owners) {
      if (owner !== previous) continue;
      token.owners.set(serial, next);
      token.spenders.delete(serial);
    }
  }
  const list = token.nft
    ? nftTransfers(token, [{ from: previous, to: next, serial: ALL_SERIALS }])
    : recordTransfers(token, [
        { account: previous, amount: -held },
        { account: next, amount: held },
      ]);
  builder.submit({
    payer: previous,
    fee: fees.tokenManage,
    data: {
      $case: 'tokenUpdate',
      tokenUpdate: {
        token: tokenId(token.num),
        treasury: accountId(next.num),
        ...(key && {
          adminKey: key,
          supplyKey: key,
          wipeKey: key,
          pauseKey: key,
          feeScheduleKey: key,
          metadataKey: key,
          ...(token.hasFreezeKey && { freezeKey: key }),
        }),
      },
    },
    record: {
      tokenTransferLists: held === 0n ? [] : [list],
      automaticTokenAssociations: automaticAssociations(token, [next]),
    },
    signers: [next.key],
  });
  token.treasury = next;
  next.pinned = true;
};

/** A holder of a deleted token lets go of it, with all that it had. */
export const dissociateDeleted: Activity = (builder) => {
  const token = builder.random.pick(builder.state.deletedTokens);
  const account = token?.holders.find((holder) => holder !== token.treasury && holder.userIndex >= 0);
  const holding = token && account?.holdings.get(token.num);
  if (token === undefined || account === undefined || holding === undefined || account.balance < HBAR) return false;
  const held = holding.balance;
  builder.submit({
    payer: account,
    fee: fees.associate,
    data: {
      $case: 'tokenDissociate',
      tokenDissociate: { account: accountId(account.num), tokens: [tokenId(token.num)] },
    },
    record: { tokenTransferLists: held === 0n ? [] : [recordTransfers(token, [{ account, amount: -held }])] },
  });
  token.supply -= held;
  if (token.nft) for (const [serial, owner] of token.owners) if (owner === account) removeSerial(token, serial);
  account.holdings = withoutEntry(account.holdings, token.num);
  removeFrom(token.holders, account);
  return true;
};

/** An owner lets a spender move all its NFTs of a token, or takes that back. */
export const approveForAll: Activity = (builder) => {
  const token = chooseToken(builder, builder.state.nfts);
  const found = token && chooseSerial(builder, token, canMove(token, HBAR));
  const owner = found?.owner;
  if (token === undefined || owner === undefined) return false;
  const [granted] = [...owner.approvedForAll].filter((key) => key.startsWith(`${token.num}/`));
  const spender = chooseOther(builder, owner);
  if (spender === undefined || owner.approvedForAll.size >= MAX_GRANTS) return false;
  const revokes = granted !== undefined && builder.random.chance(0.5);
  const spenderNum = revokes ? BigInt(granted.split('/')[1] as string) : spender.num;
  builder.submit({
    payer: owner,
    fee: fees.allowance,
    data: {
      $case: 'cryptoApproveAllowance',
      cryptoApproveAllowance: {
        nftAllowances: [
          {
            tokenId: tokenId(token.num),
            owner: accountId(owner.num),
            spender: accountId(spenderNum),
            approvedForAll: !revokes,
          },
        ],
      },
    },
  });
  owner.approvedForAll = revokes
    ? withoutMember(owner.approvedForAll, granted)
    : withMember(owner.approvedForAll, `${token.num}/${spenderNum}`);
  return true;
};

/** An owner lets two others move all its NFTs of a token. */
export const approveTwoForAll: Activity = (builder) => {
  const token = chooseToken(builder, builder.state.nfts);
  const owner = token?.treasury;
  const first = owner && chooseOther(builder, owner);
  const second = owner && chooseOther(builder, owner);
  if (token === undefined || owner === undefined || first === undefined || second === undefined) return false;
  if (first === second || owner.balance < HBAR) return false;
  builder.submit({
    payer: owner,
    fee: fees.allowance,
    data: {
      $case: 'cryptoApproveAllowance',
      cryptoApproveAllowance: {
        nftAllowances: [first, second].map(({ num }) => ({
          tokenId: tokenId(token.num),
          owner: accountId(owner.num),
          spender: accountId(num),
          approvedForAll: true,
        })),
      },
    },
  });
  for (const { num } of [first, second]) {
    owner.approvedForAll = withMember(owner.approvedForAll, `${token.num}/${num}`);
  }
  return true;
};

/** A spender moves an NFT that it may move, in the owner's name. */
export const spendNft: Activity = (builder) => {
  const token = chooseToken(builder, builder.state.nfts);
  return token === undefined ? false : spendNftOf(builder, token);
};

/** The same, whatever collection it takes. */
export const spendSomeNft: Activity = (builder) =>
  builder.state.nfts.some((token) => !token.paused && spendNftOf(builder, token));

const spendNftOf = (builder: BlockBuilder, token: Token): boolean => {
  const { state } = builder;
  // Who gets an NFT for nothing would have to pay the fallback of its royalty.
  if (token.fees.some((fee) => fee.kind === 'royalty' && fee.fallback !== undefined)) return false;
  for (const [serial, spenderNum] of token.spenders) {
    const owner = token.owners.get(serial);
    const spender = state.accounts.get(spenderNum);
    const receiver = owner && chooseReceiver(builder, token, owner);
    if (owner === undefined || spender === undefined || receiver === undefined) continue;
    if (spender.balance < HBAR || spender.deleted || !canMove(token, 0n)(owner) || receiver.receiverSignatureRequired)
      continue;
    const list = nftTransfers(token, [{ from: owner, to: receiver, serial }]);
    addToHolding(owner, token, -1n);
    addToHolding(receiver, token, 1n);
    token.owners.set(serial, receiver);
    token.spenders.delete(serial);
    const nfts = list.nftTransfers?.map((transfer) => ({ ...transfer, isApproval: true })) ?? [];
    builder.submit({
      payer: spender,
      fee: fees.tokenTransfer,
      data: {
        $case: 'cryptoTransfer',
        cryptoTransfer: { tokenTransfers: [{ token: tokenId(token.num), nftTransfers: nfts }] },
      },
      record: { tokenTransferLists: [{ token: tokenId(token.num), nftTransfers: nfts }] },
    });
    return true;
  }
  return false;
};
