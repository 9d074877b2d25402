import type { EntityId } from '../../../ledger/entity-id.ts';
import type { AddressHex } from '../../state/records.ts';
import { createHollowAccount } from '../lazy-creation.ts';
import type { OperationContext } from '../operation.ts';
import type { Adjustment, Party, Transfers } from './transfers.ts';

export interface ResolvedTransfers {
  readonly transfers: Transfers;
  /** Accounts that were created, in order. */
  readonly createdIds: readonly EntityId[];
}

/** Addresses that a transfer credits and that no account has, each once. */
export const missingAddresses = ({ hbar, tokens }: Transfers<Party>): readonly AddressHex[] => {
  const credits = [...hbar, ...tokens.flatMap(({ adjustments }) => adjustments)].filter(({ amount }) => amount > 0n);
  const receivers = tokens.flatMap(({ serials }) => serials.map(({ receiver }) => receiver));
  const parties = [...credits.map(({ party }) => party), ...receivers];
  return [...new Set(parties.filter((party) => typeof party === 'string'))];
};

/** Creates what accounts are missing and names all parties by id. Refuses: INVALID_ALIAS_KEY. */
export const resolveParties = async (
  context: OperationContext,
  request: Transfers<Party>,
): Promise<ResolvedTransfers> => {
  const created = new Map<AddressHex, EntityId>();
  for (const address of missingAddresses(request)) created.set(address, await createHollowAccount(context, address));
  const idOf = (party: Party): EntityId => (typeof party === 'bigint' ? party : (created.get(party) ?? 0n));
  const resolved = (adjustments: readonly Adjustment<Party>[]): Adjustment[] =>
    adjustments.map((adjustment) => ({ ...adjustment, party: idOf(adjustment.party) }));
  const transfers: Transfers = {
    hbar: resolved(request.hbar),
    tokens: request.tokens.map(({ tokenId, adjustments, serials }) => ({
      tokenId,
      adjustments: resolved(adjustments),
      serials: serials.map((serial) => ({ ...serial, sender: idOf(serial.sender), receiver: idOf(serial.receiver) })),
    })),
  };
  return { transfers, createdIds: [...created.values()] };
};
