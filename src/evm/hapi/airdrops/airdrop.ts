/**
 * TokenAirdrop ([HIP-904](https://hips.hedera.com/hip/hip-904)): transfers to whoever can hold the tokens, pending
 * airdrops for the others.
 */
import { decodeEntityId, type EntityId } from '../../../ledger/entity-id.ts';
import { usableAccount } from '../account-checks.ts';
import { hasNoFreeSlot } from '../associate.ts';
import { assessCustomFees } from '../custom-fees/assess-fees.ts';
import { MAX_TOKEN_AMOUNT } from '../limits.ts';
import { type OperationContext, refuse } from '../operation.ts';
import { moveHbar } from '../transfers/move-hbar.ts';
import { moveUnits } from '../transfers/move-tokens.ts';
import { netTokenTransfers } from '../transfers/net-transfers.ts';
import { checkParties } from '../transfers/request-checks.ts';
import { resolveParties } from '../transfers/resolve-parties.ts';
import { makeTransfers, type TransferEffects } from '../transfers/transfer.ts';
import type { Party, TokenTransfers, Transfers } from '../transfers/transfers.ts';
import { checkAirdropLists, checkAirdropSenders } from './airdrop-checks.ts';
import { canClaim } from './claiming-keys.ts';

const LAST_SYSTEM_NUMBER = 1000n;

const checkReceivers = async (context: OperationContext, { adjustments, serials }: TokenTransfers): Promise<void> => {
  const receiverIds = [
    ...adjustments.filter(({ amount }) => amount > 0n).map(({ party }) => party),
    ...serials.map(({ receiver }) => receiver),
  ];
  for (const id of receiverIds) {
    if (!canClaim((await usableAccount(context, id)).key)) refuse('NOT_SUPPORTED');
  }
};

/** Whether a receiver has to claim what it is sent. Receivers who want to sign would do so: keys always do here. */
const mustClaim = async (context: OperationContext, receiverId: EntityId, tokenId: EntityId): Promise<boolean> => {
  if (decodeEntityId(receiverId).num <= LAST_SYSTEM_NUMBER) refuse('INVALID_RECEIVING_NODE_ACCOUNT');
  const account = await usableAccount(context, receiverId);
  return (await context.world.tokenRelation(receiverId, tokenId)) === undefined && hasNoFreeSlot(account);
};

/** Holds units back for a receiver; gives what is to be transferred now. */
const holdBackUnits = async (
  context: OperationContext,
  { tokenId, adjustments }: TokenTransfers,
): Promise<TokenTransfers['adjustments']> => {
  const { world } = context;
  const sender = adjustments.find(({ amount }) => amount < 0n);
  if (sender === undefined) return [];
  const now = [];
  for (const adjustment of adjustments) {
    const { party: receiverId, amount } = adjustment;
    if (amount <= 0n) continue;
    if (!(await mustClaim(context, receiverId, tokenId))) {
      now.push(adjustment);
      continue;
    }
    const key = { senderId: sender.party, receiverId, tokenId, serialNumber: 0n };
    const pending = ((await world.pendingAirdrop(key))?.amount ?? 0n) + amount;
    if (pending > MAX_TOKEN_AMOUNT) refuse('INSUFFICIENT_TOKEN_BALANCE');
    world.putPendingAirdrop({ ...key, amount: pending });
  }
  const sum = now.reduce((total, { amount }) => total + amount, 0n);
  return now.length === 0 ? [] : [{ ...sender, amount: -sum }, ...now];
};

const holdBackSerials = async (
  context: OperationContext,
  { tokenId, serials }: TokenTransfers,
): Promise<TokenTransfers['serials']> => {
  const { world } = context;
  const now = [];
  for (const serial of serials) {
    const { sender: senderId, receiver: receiverId, serialNumber } = serial;
    if (!(await mustClaim(context, receiverId, tokenId))) {
      now.push(serial);
      continue;
    }
    const key = { senderId, receiverId, tokenId, serialNumber };
    if ((await world.pendingAirdrop(key)) !== undefined) refuse('PENDING_NFT_AIRDROP_ALREADY_EXISTS');
    world.putPendingAirdrop({ ...key, amount: 0n });
  }
  return now;
};

/** Sends tokens; custom fees are paid at once, also for what has to be claimed. */
export const airdrop = async (
  context: OperationContext,
  requested: readonly TokenTransfers<Party>[],
): Promise<TransferEffects> => {
  checkAirdropLists(requested);
  await checkParties(context, { hbar: [], tokens: requested });
  await checkAirdropSenders(context, requested);
  const { transfers, createdIds } = await resolveParties(context, { hbar: [], tokens: requested });
  checkAirdropLists(transfers.tokens);

  const { levels, assessed } = await assessCustomFees(context, transfers, new Set(createdIds));
  const [sent, ...caused] = levels;
  for (const { hbar, tokens } of caused) {
    await moveHbar(context, hbar, assessed);
    await moveUnits(context, tokens, assessed);
  }
  const now: TokenTransfers[] = [];
  for (const list of sent?.tokens ?? []) {
    await checkReceivers(context, list);
    const adjustments = await holdBackUnits(context, list);
    const serials = await holdBackSerials(context, list);
    if (adjustments.length + serials.length > 0) now.push({ tokenId: list.tokenId, adjustments, serials });
  }
  const made: Transfers = { hbar: [], tokens: now };
  const automaticAssociations = await makeTransfers(context, { levels: [made], assessed });
  return { tokens: netTokenTransfers([...caused, made]), assessedFees: assessed, automaticAssociations, createdIds };
};
