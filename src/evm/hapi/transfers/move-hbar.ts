import { usableAccount } from '../account-checks.ts';
import { balanceAfter } from '../hbar-balance.ts';
import { type OperationContext, refuse } from '../operation.ts';
import { remainingAllowance, spendAllowance } from './approvals.ts';
import { paidFee } from './paid-fee.ts';
import type { Adjustment, AssessedFee } from './transfers.ts';

const approvedDebits = (hbar: readonly Adjustment[]): readonly Adjustment[] =>
  hbar.filter(({ amount, isApproval }) => isApproval && amount < 0n);

/** Refuses what allowances don't cover, before anything else is done. */
export const checkHbarAllowances = async (context: OperationContext, hbar: readonly Adjustment[]): Promise<void> => {
  for (const { party, amount } of approvedDebits(hbar)) await remainingAllowance(context, undefined, party, -amount);
};

/** Moves tinybars; `assessed` are the custom fees of the whole transfer. */
export const moveHbar = async (
  context: OperationContext,
  hbar: readonly Adjustment[],
  assessed: readonly AssessedFee[],
): Promise<void> => {
  for (const { party, amount } of hbar) {
    const account = await usableAccount(context, party);
    const balance =
      balanceAfter(context, account, amount) ??
      refuse(
        paidFee(assessed, undefined, party)
          ? 'INSUFFICIENT_SENDER_ACCOUNT_BALANCE_FOR_CUSTOM_FEE'
          : 'INSUFFICIENT_ACCOUNT_BALANCE',
      );
    context.world.putEntity({ ...account, balance });
  }
  for (const { party, amount } of approvedDebits(hbar)) await spendAllowance(context, undefined, party, -amount);
};
