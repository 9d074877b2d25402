/** What is wrong with a transfer whatever the state is, then how large it may be, then whether its parties exist. */
import { usableAccount } from '../account-checks.ts';
import { TRANSFER_LIST_SIZE } from '../limits.ts';
import { type OperationContext, refuse } from '../operation.ts';
import type { Adjustment, Party, SerialTransfer, TokenTransfers, Transfers } from './transfers.ts';

/** The account that gathers fees, 0.0.802, takes no transfers. */
const FEE_COLLECTION_NUMBER = 802n;

const isZeroSum = (adjustments: readonly Adjustment<Party>[]): boolean =>
  adjustments.reduce((sum, { amount }) => sum + amount, 0n) === 0n;

const checkRepeatedParties = (adjustments: readonly Adjustment<Party>[]): void => {
  if (new Set(adjustments.map(({ party }) => party)).size < adjustments.length) {
    refuse('ACCOUNT_REPEATED_IN_ACCOUNT_AMOUNTS');
  }
};

const checkSerials = (serials: readonly SerialTransfer<Party>[]): void => {
  const seen = new Set<bigint>();
  for (const { sender, receiver, serialNumber } of serials) {
    if (serialNumber <= 0n) refuse('INVALID_TOKEN_NFT_SERIAL_NUMBER');
    if (seen.has(serialNumber)) refuse('INVALID_ACCOUNT_AMOUNTS');
    seen.add(serialNumber);
    if (sender === receiver) refuse('ACCOUNT_REPEATED_IN_ACCOUNT_AMOUNTS');
  }
};

/** Refuses lists of tokens that contradict themselves. */
export const checkTokenTransfers = (
  tokens: readonly TokenTransfers<Party>[],
  { approvalsAllowed }: { readonly approvalsAllowed: boolean },
): void => {
  for (const { adjustments, serials } of tokens) {
    if (!isZeroSum(adjustments)) refuse('TRANSFERS_NOT_ZERO_SUM_FOR_TOKEN');
    const approved = [...adjustments, ...serials].some(({ isApproval }) => isApproval);
    if (approved && !approvalsAllowed) refuse('NOT_SUPPORTED');
    checkRepeatedParties(adjustments);
    checkSerials(serials);
    if (adjustments.length + serials.length === 0) refuse('EMPTY_TOKEN_TRANSFER_ACCOUNT_AMOUNTS');
  }
  if (new Set(tokens.map(({ tokenId }) => tokenId)).size < tokens.length) refuse('TOKEN_ID_REPEATED_IN_TOKEN_LIST');
};

/** Refuses transfers that contradict themselves; asked again once aliases are accounts. */
export const checkTransfers = ({ hbar, tokens }: Transfers<Party>): void => {
  if (!isZeroSum(hbar)) refuse('INVALID_ACCOUNT_AMOUNTS');
  checkRepeatedParties(hbar);
  checkTokenTransfers(tokens, { approvalsAllowed: true });
};

const checkParty = async (context: OperationContext, party: Party, credited: boolean): Promise<void> => {
  if (typeof party === 'bigint') await usableAccount(context, party);
  else if (!credited) refuse('INVALID_ACCOUNT_ID');
};

/** Refuses unknown tokens (INVALID_TOKEN_ID) and accounts (INVALID_ACCOUNT_ID); only receivers may be created. */
export const checkParties = async (context: OperationContext, { hbar, tokens }: Transfers<Party>): Promise<void> => {
  for (const { tokenId, adjustments, serials } of tokens) {
    if ((await context.world.token(tokenId)) === undefined) refuse('INVALID_TOKEN_ID');
    for (const { party, amount } of adjustments) await checkParty(context, party, amount > 0n);
    for (const { sender, receiver } of serials) {
      await checkParty(context, sender, false);
      await checkParty(context, receiver, true);
    }
  }
  for (const { party, amount } of hbar) await checkParty(context, party, amount > 0n);
};

/** Refuses more than ten adjustments or serials, and credits to the fee collection account. */
export const checkLimits = ({ world }: OperationContext, { hbar, tokens }: Transfers<Party>): void => {
  const feeCollection = world.idOf(FEE_COLLECTION_NUMBER);
  if (hbar.length > TRANSFER_LIST_SIZE) refuse('TRANSFER_LIST_SIZE_LIMIT_EXCEEDED');
  let adjustmentCount = 0;
  let serialCount = 0;
  for (const { adjustments, serials } of tokens) {
    adjustmentCount += adjustments.length;
    serialCount += serials.length;
    if (adjustmentCount > TRANSFER_LIST_SIZE) refuse('TOKEN_TRANSFER_LIST_SIZE_LIMIT_EXCEEDED');
    if (serialCount > TRANSFER_LIST_SIZE) refuse('BATCH_SIZE_LIMIT_EXCEEDED');
  }
  const credits = [...hbar, ...tokens.flatMap(({ adjustments }) => adjustments)].some(
    ({ party, amount }) => party === feeCollection && amount > 0n,
  );
  const receives = tokens.some(({ serials }) => serials.some(({ receiver }) => receiver === feeCollection));
  if (credits || receives) refuse('TRANSFER_TO_FEE_COLLECTION_ACCOUNT_NOT_ALLOWED');
};
