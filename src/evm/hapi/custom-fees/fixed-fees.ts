import type { EntityId } from '../../../ledger/entity-id.ts';
import type { FixedFee, TokenRecord } from '../../state/records.ts';
import { isExempt } from './exemptions.ts';
import { addChange, type FeeLevel } from './fee-level.ts';

/** Makes an account pay a fee of a token, unless it is exempt. */
export const chargeFixedFee = (level: FeeLevel, token: TokenRecord, payerId: EntityId, fee: FixedFee): void => {
  if (isExempt(token, fee, payerId)) return;
  const { amount, denominatingTokenId: denomination, collectorId } = fee;
  const changes = denomination === token.id ? level.revised(denomination) : level.caused(denomination);
  addChange(changes, payerId, -amount);
  addChange(changes, collectorId, amount);
  level.assessed.push({ denomination, amount, collectorId, payerIds: [payerId] });
};

/** Once for every account that gives units, and for every serial. */
export const assessFixedFees = (level: FeeLevel, token: TokenRecord, senderId: EntityId): void => {
  for (const fee of token.customFees.fixed) chargeFixedFee(level, token, senderId, fee);
};
