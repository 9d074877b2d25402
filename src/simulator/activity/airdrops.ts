import { addToHolding, associate, moveSerial, usableHolding } from '../account-book.ts';
import type { BlockBuilder } from '../block-builder.ts';
import { fees } from '../fee-schedule.ts';
import { type Account, type PendingAirdrop, remember, removeAt, type Token } from '../ledger-state.ts';
import { accountId, tokenId } from '../proto-ids.ts';
import {
  type Activity,
  canMove,
  chooseHolder,
  chooseReceiver,
  chooseSender,
  chooseSerial,
  chooseToken,
} from './choose.ts';
import { bodyTransfers, nftTransfers, recordTransfers } from './token-record.ts';

const HBAR = 100_000_000n;
const MAX_PENDING = 200;

const moved = (token: Token, sender: Account, receiver: Account, serial: bigint, amount: bigint) =>
  serial > 0n
    ? nftTransfers(token, [{ from: sender, to: receiver, serial }])
    : recordTransfers(token, [
        { account: sender, amount: -amount },
        { account: receiver, amount },
      ]);

const pendingId = ({ token, sender, receiver, serial }: PendingAirdrop) => ({
  senderId: accountId(sender.num),
  receiverId: accountId(receiver.num),
  tokenReference:
    serial > 0n
      ? {
          $case: 'nonFungibleToken' as const,
          nonFungibleToken: { tokenID: tokenId(token.num), serialNumber: serial },
        }
      : { $case: 'fungibleTokenType' as const, fungibleTokenType: tokenId(token.num) },
});

/** A user who must claim the token before it is associated. */
const chooseStranger = ({ random, state }: BlockBuilder, token: Token): Account | undefined => {
  for (let i = 0; i < 8; i++) {
    const user = random.pick(state.users);
    if (user !== undefined && user.autoAssociations === 0 && !user.holdings.has(token.num)) return user;
  }
  return undefined;
};

/** An airdrop to somebody who is associated is a transfer. */
const airdropAtOnce = (builder: BlockBuilder, token: Token, sender: Account, serial: bigint): boolean => {
  const receiver = chooseReceiver(builder, token, sender);
  if (receiver === undefined || token.fees.length > 0 || receiver.receiverSignatureRequired) return false;
  addToHolding(sender, token, -1n);
  addToHolding(receiver, token, 1n);
  if (serial > 0n) moveSerial(token, serial, receiver);
  const lists = [moved(token, sender, receiver, serial, 1n)];
  builder.submit({
    payer: sender,
    fee: fees.airdrop,
    data: { $case: 'tokenAirdrop', tokenAirdrop: { tokenTransfers: lists } },
    record: { tokenTransferLists: lists },
  });
  return true;
};

/** Tokens for somebody who isn't associated: they wait until the receiver claims them (HIP-904). */
export const airdropToken: Activity = (builder) => {
  const { random, state } = builder;
  const token = chooseToken(builder);
  if (token === undefined || token.hasKycKey || token.fees.length > 0 || state.airdrops.length >= MAX_PENDING)
    return false;
  const found = token.nft ? chooseSerial(builder, token, canMove(token, 2n * HBAR)) : undefined;
  const sender = token.nft ? found?.owner : chooseSender(builder, token, 2n * HBAR);
  if (sender === undefined) return false;
  const serial = found?.serial ?? 0n;
  if (random.chance(0.2)) return airdropAtOnce(builder, token, sender, serial);
  const receiver = chooseStranger(builder, token);
  if (receiver === undefined || receiver === sender) return false;
  const same = state.airdrops.some(
    (other) =>
      other.token === token &&
      other.serial === serial &&
      (token.nft || (other.sender === sender && other.receiver === receiver)),
  );
  if (same) return false;
  const airdrop: PendingAirdrop = {
    token,
    sender,
    receiver,
    serial,
    amount: token.nft ? 0n : BigInt(random.between(1, 100)),
    state: 'PENDING',
  };
  const changes = [
    { account: sender, amount: -airdrop.amount },
    { account: receiver, amount: airdrop.amount },
  ];
  builder.submit({
    payer: sender,
    fee: fees.airdrop,
    data: {
      $case: 'tokenAirdrop',
      tokenAirdrop: {
        tokenTransfers: [
          token.nft ? nftTransfers(token, [{ from: sender, to: receiver, serial }]) : bodyTransfers(token, changes),
        ],
      },
    },
    record: {
      newPendingAirdrops: [
        {
          pendingAirdropId: pendingId(airdrop),
          ...(token.nft ? {} : { pendingAirdropValue: { amount: airdrop.amount } }),
        },
      ],
    },
  });
  state.airdrops.push(airdrop);
  return true;
};

const close = (
  { state }: BlockBuilder,
  chosen: { readonly airdrop: PendingAirdrop; readonly index: number },
  how: 'CANCELLED' | 'CLAIMED',
): void => {
  removeAt(state.airdrops, chosen.index);
  chosen.airdrop.state = how;
  remember(state.closedAirdrops, chosen.airdrop);
};

const choosePending = (builder: BlockBuilder): { airdrop: PendingAirdrop; index: number } | undefined => {
  const { airdrops } = builder.state;
  if (airdrops.length === 0) return undefined;
  const index = builder.random.below(airdrops.length);
  return { airdrop: airdrops[index] as PendingAirdrop, index };
};

export const claimAirdrop: Activity = (builder) => {
  const chosen = choosePending(builder);
  if (chosen === undefined) return false;
  const { token, sender, receiver, serial, amount } = chosen.airdrop;
  if (receiver.balance < HBAR || receiver.deleted || token.paused || token.hasKycKey) return false;
  if (receiver.holdings.get(token.num)?.frozen === true) return false;
  const available = usableHolding(sender, token)?.balance ?? 0n;
  if (serial > 0n ? token.owners.get(serial) !== sender || available === 0n : available < amount) return false;
  close(builder, chosen, 'CLAIMED');
  if (!receiver.holdings.has(token.num)) associate(receiver, token);
  const change = serial > 0n ? 1n : amount;
  addToHolding(sender, token, -change);
  addToHolding(receiver, token, change);
  if (serial > 0n) moveSerial(token, serial, receiver);
  builder.submit({
    payer: receiver,
    fee: fees.tokenManage,
    data: { $case: 'tokenClaimAirdrop', tokenClaimAirdrop: { pendingAirdrops: [pendingId(chosen.airdrop)] } },
    record: { tokenTransferLists: [moved(token, sender, receiver, serial, amount)] },
  });
  return true;
};

export const cancelAirdrop: Activity = (builder) => {
  const chosen = choosePending(builder);
  if (chosen === undefined || chosen.airdrop.sender.balance < HBAR || chosen.airdrop.sender.deleted) return false;
  close(builder, chosen, 'CANCELLED');
  builder.submit({
    payer: chosen.airdrop.sender,
    fee: fees.tokenManage,
    data: { $case: 'tokenCancelAirdrop', tokenCancelAirdrop: { pendingAirdrops: [pendingId(chosen.airdrop)] } },
  });
  return true;
};

/** A holder sends all it has of a token, or one NFT, back to the treasury. */
export const rejectToken: Activity = (builder) => {
  const token = chooseToken(builder);
  if (token === undefined) return false;
  const found = token.nft
    ? chooseSerial(builder, token, (holder) => holder !== token.treasury && canMove(token, HBAR)(holder))
    : undefined;
  const owner = token.nft
    ? found?.owner
    : chooseHolder(builder, token, (holding) => holding.balance > 0n && !holding.frozen && holding.kyc);
  if (owner === undefined || owner.balance < HBAR || owner.userIndex < 0) return false;
  const serial = found?.serial ?? 0n;
  const amount = token.nft ? 1n : (owner.holdings.get(token.num)?.balance ?? 0n);
  addToHolding(owner, token, -amount);
  addToHolding(token.treasury, token, amount);
  if (token.nft) moveSerial(token, serial, token.treasury);
  builder.submit({
    payer: owner,
    fee: fees.tokenManage,
    data: {
      $case: 'tokenReject',
      tokenReject: {
        owner: accountId(owner.num),
        rejections: [
          {
            tokenIdentifier: token.nft
              ? { $case: 'nft', nft: { tokenID: tokenId(token.num), serialNumber: serial } }
              : { $case: 'fungibleToken', fungibleToken: tokenId(token.num) },
          },
        ],
      },
    },
    record: { tokenTransferLists: [moved(token, owner, token.treasury, serial, amount)] },
  });
  return true;
};
