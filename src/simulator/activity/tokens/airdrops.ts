import { fees } from '../../network/fee-schedule.ts';
import type { BlockBuilder } from '../../records/block-builder.ts';
import { accountId, tokenId } from '../../records/proto-ids.ts';
import { addToHolding, associate, moveSerial, usableHolding } from '../../state/account-book.ts';
import type { Account, PendingAirdrop, Token } from '../../state/ledger-entities.ts';
import { remember, removeAt } from '../../state/ledger-state.ts';
import {
  type Activity,
  canMove,
  chooseHolder,
  chooseReceiver,
  chooseSender,
  chooseSerial,
  chooseToken,
  isOpen,
} from '../choose.ts';
import { bodyTransfers, nftTransfers, recordTransfers } from './token-record.ts';

const HBAR = 100_000_000n;
const MAX_PENDING = 200;
/** The oldest ones, which nobody claims or cancels, so that there are always some. */
const KEPT_PENDING = 5;

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

/**
 * Tokens for somebody who isn't associated: they wait until the receiver claims them
 * ([HIP-904](https://hips.hedera.com/hip/hip-904)).
 */
export const airdropToken: Activity = (builder) => {
  const { random, state } = builder;
  const token = chooseToken(builder);
  if (token === undefined || token.hasKycKey || token.frozenAtFirst || token.fees.length > 0) return false;
  if (state.airdrops.length >= MAX_PENDING) return false;
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
  submitPending(builder, {
    token,
    sender,
    receiver,
    serial,
    amount: token.nft ? 0n : BigInt(random.between(1, 100)),
    state: 'PENDING',
  });
  return true;
};

/** One of three airdrops that are not there yet: of two tokens to one stranger, and of one of them to another. */
export const airdropToStrangers: Activity = (builder) => {
  const { state } = builder;
  const [one, other] = state.fungible.filter(
    ({ fees: own, hasKycKey, frozenAtFirst, paused, treasury }) =>
      own.length === 0 && !hasKycKey && !frozenAtFirst && !paused && treasury.balance >= 2n * HBAR,
  );
  if (one === undefined || other === undefined) return false;
  const [first, second] = state.users.filter(
    ({ autoAssociations, holdings }) => autoAssociations === 0 && !holdings.has(one.num) && !holdings.has(other.num),
  );
  if (first === undefined || second === undefined) return false;
  for (const [token, receiver] of [
    [one, first],
    [other, first],
    [one, second],
  ] as const) {
    const waits = state.airdrops.some((airdrop) => airdrop.token === token && airdrop.receiver === receiver);
    if (waits) continue;
    submitPending(builder, { token, sender: token.treasury, receiver, serial: 0n, amount: 10n, state: 'PENDING' });
    return true;
  }
  return false;
};

/** The treasury of a collection gives an NFT to a stranger. */
export const airdropNftToStranger: Activity = (builder) => {
  const { nfts, users, airdrops } = builder.state;
  for (const token of nfts) {
    if (!isOpen(token) || token.fees.length > 0 || token.treasury.balance < 2n * HBAR) continue;
    const [serial] =
      [...token.owners].find(
        ([number, owner]) =>
          owner === token.treasury && !airdrops.some((other) => other.token === token && other.serial === number),
      ) ?? [];
    const receiver = users.find(({ autoAssociations, holdings }) => autoAssociations === 0 && !holdings.has(token.num));
    if (serial === undefined || receiver === undefined) continue;
    submitPending(builder, { token, sender: token.treasury, receiver, serial, amount: 0n, state: 'PENDING' });
    return true;
  }
  return false;
};

const submitPending = (builder: BlockBuilder, airdrop: PendingAirdrop): void => {
  const { token, sender, receiver, serial } = airdrop;
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
  builder.state.airdrops.push(airdrop);
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
  if (airdrops.length <= KEPT_PENDING) return undefined;
  const index = builder.random.between(KEPT_PENDING, airdrops.length - 1);
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
