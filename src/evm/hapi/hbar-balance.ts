import type { EntityRecord } from '../state/records.ts';
import type { OperationContext } from './operation.ts';

/**
 * The balance after a change of tinybars, or undefined when the account cannot pay it. Accounts may be taken to own more
 * than they do (`minimumAccountBalance`); what they pay beyond their real balance leaves them with nothing.
 */
export const balanceAfter = (
  { minimumAccountBalance = 0n }: Pick<OperationContext, 'minimumAccountBalance'>,
  { balance, type }: Pick<EntityRecord, 'balance' | 'type'>,
  change: bigint,
): bigint | undefined => {
  const after = balance + change;
  if (after >= 0n) return after;
  return type === 'ACCOUNT' && minimumAccountBalance + change >= 0n ? 0n : undefined;
};
