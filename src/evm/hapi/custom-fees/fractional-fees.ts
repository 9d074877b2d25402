import type { EntityId } from '../../../ledger/entity-id.ts';
import type { FractionalFee, TokenRecord } from '../../state/records.ts';
import { refuse } from '../operation.ts';
import { isExempt } from './exemptions.ts';
import { addChange, type Changes, type FeeLevel } from './fee-level.ts';
import { chargeFixedFee } from './fixed-fees.ts';
import { share } from './share.ts';

const sum = (amounts: Iterable<bigint>): bigint => {
  let total = 0n;
  for (const amount of amounts) total += amount;
  return total;
};

/** The fraction within the fee's bounds, and whether its minimum made it more. */
const bounded = (fee: FractionalFee, units: bigint): { readonly amount: bigint; readonly isMinimum: boolean } => {
  const nominal = share(fee.numerator, fee.denominator, units);
  const isMinimum = nominal < fee.minimum;
  const amount = isMinimum ? fee.minimum : nominal;
  return { amount: fee.maximum > 0n && amount > fee.maximum ? fee.maximum : amount, isMinimum };
};

const creditsSubjectTo = (
  token: TokenRecord,
  fee: FractionalFee,
  changes: ReadonlyMap<EntityId, bigint>,
): (readonly [EntityId, bigint])[] =>
  [...changes].filter(([accountId, amount]) => amount > 0n && !isExempt(token, fee, accountId));

/** Takes an amount out of credits, from each its part and what rounding left in their order; gives what was taken. */
const reclaim = (changes: Changes, credits: readonly (readonly [EntityId, bigint])[], wanted: bigint): bigint => {
  const available = sum(credits.map(([, credit]) => credit));
  const amount = wanted < available ? wanted : available;
  if (amount === 0n) return 0n;
  const parts = credits.map(([, credit]) => share(credit, available, amount));
  let left = amount - sum(parts);
  credits.forEach(([accountId, credit], i) => {
    const part = parts[i] ?? 0n;
    const rest = credit - part;
    const more = left < rest ? left : rest;
    left -= more;
    changes.set(accountId, rest - more);
  });
  return amount;
};

/** Fractions of what one account gives: on top for the giver (net of transfers), else out of what others receive. */
export const assessFractionalFees = (level: FeeLevel, token: TokenRecord, senderId: EntityId): void => {
  const given = level.given.get(token.id) ?? new Map<EntityId, bigint>();
  const debit = -(given.get(senderId) ?? 0n);
  let unitsLeft = debit;
  for (const fee of token.customFees.fractional) {
    const { collectorId } = fee;
    // What a collector sends arrives whole.
    if (senderId === collectorId) continue;
    const credits = creditsSubjectTo(token, fee, given);
    if (credits.length === 0) continue;
    if (fee.netOfTransfers) {
      chargeFixedFee(level, token, senderId, {
        ...fee,
        amount: bounded(fee, debit).amount,
        denominatingTokenId: token.id,
      });
      continue;
    }
    const debits = [...given].filter(([accountId, amount]) => amount < 0n && !isExempt(token, fee, accountId));
    const { amount, isMinimum } = bounded(fee, sum(credits.map(([, credit]) => credit)));
    const part = share(debit, -sum(debits.map(([, change]) => change)), amount);
    const changes = level.revised(token.id);
    const collected = reclaim(changes, creditsSubjectTo(token, fee, changes), part);
    if (isMinimum && collected < part) refuse('INSUFFICIENT_SENDER_ACCOUNT_BALANCE_FOR_CUSTOM_FEE');
    if (collected === 0n) continue;
    unitsLeft -= collected;
    if (unitsLeft < 0n) refuse('INSUFFICIENT_SENDER_ACCOUNT_BALANCE_FOR_CUSTOM_FEE');
    addChange(changes, collectorId, collected);
    level.assessed.push({
      denomination: token.id,
      amount: collected,
      collectorId,
      payerIds: credits.map(([accountId]) => accountId),
    });
  }
};
