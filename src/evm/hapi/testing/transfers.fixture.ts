/** Transfers in few words. */
import type { Party, SerialTransfer, TokenTransfers, Transfers } from '../transfers/transfers.ts';

export type Amounts = readonly (readonly [party: Party, amount: bigint, isApproval?: boolean])[];

const adjustments = (amounts: Amounts) =>
  amounts.map(([party, amount, isApproval = false]) => ({ party, amount, isApproval }));

export const units = (tokenId: bigint, ...amounts: Amounts): TokenTransfers<Party> => ({
  tokenId,
  adjustments: adjustments(amounts),
  serials: [],
});

export const serial = (
  sender: Party,
  receiver: Party,
  serialNumber: bigint,
  isApproval = false,
): SerialTransfer<Party> => ({ sender, receiver, serialNumber, isApproval });

export const serials = (tokenId: bigint, ...list: readonly SerialTransfer<Party>[]): TokenTransfers<Party> => ({
  tokenId,
  adjustments: [],
  serials: list,
});

export const ofTokens = (...tokens: readonly TokenTransfers<Party>[]): Transfers<Party> => ({ hbar: [], tokens });

export const ofHbar = (...amounts: Amounts): Transfers<Party> => ({ hbar: adjustments(amounts), tokens: [] });
