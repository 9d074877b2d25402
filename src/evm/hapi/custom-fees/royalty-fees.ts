import type { EntityId } from '../../../ledger/entity-id.ts';
import type { RoyaltyFee, TokenRecord } from '../../state/records.ts';
import { refuse } from '../operation.ts';
import type { Denomination } from '../transfers/transfers.ts';
import { isExempt } from './exemptions.ts';
import { addChange, type FeeLevel } from './fee-level.ts';
import { chargeFixedFee } from './fixed-fees.ts';
import { share } from './share.ts';

type ExchangedValue = readonly [denomination: Denomination, amount: bigint];

/** What an account receives in the same transfer: tinybars first, then units of tokens. */
const exchangedValueOf = (level: FeeLevel, accountId: EntityId): ExchangedValue[] =>
  [...level.given].flatMap(([denomination, changes]) => {
    const amount = changes.get(accountId) ?? 0n;
    return amount > 0n ? [[denomination, amount] as const] : [];
  });

const redirect = (
  level: FeeLevel,
  fee: RoyaltyFee,
  senderId: EntityId,
  [denomination, value]: ExchangedValue,
): void => {
  const amount = share(fee.numerator, fee.denominator, value);
  if (amount > value) refuse('INSUFFICIENT_SENDER_ACCOUNT_BALANCE_FOR_CUSTOM_FEE');
  addChange(level.revised(denomination), senderId, -amount);
  addChange(level.caused(denomination), fee.collectorId, amount);
  level.assessed.push({ denomination, amount, collectorId: fee.collectorId, payerIds: [senderId] });
};

/**
 * Royalties of one serial: out of the value that its sender receives for it, once per sender and token; without value
 * the fallback fees, once per receiver and token.
 */
export const assessRoyaltyFees = (
  level: FeeLevel,
  token: TokenRecord,
  senderId: EntityId,
  receiverId: EntityId,
): void => {
  if (level.hasPaidRoyalty(senderId, token.id)) return;
  const value = exchangedValueOf(level, senderId);
  const wasPaid = level.hasPaidRoyalty(receiverId, token.id);
  for (const fee of token.customFees.royalty) {
    if (value.length > 0) {
      if (!isExempt(token, fee, senderId)) for (const exchanged of value) redirect(level, fee, senderId, exchanged);
    } else if (fee.fallback !== undefined && !wasPaid) {
      chargeFixedFee(level, token, receiverId, { ...fee, ...fee.fallback });
    }
  }
  level.markRoyaltyPaid(value.length > 0 ? senderId : receiverId, token.id);
};
