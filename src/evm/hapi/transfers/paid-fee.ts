import type { EntityId } from '../../../ledger/entity-id.ts';
import type { AssessedFee, Denomination } from './transfers.ts';

/** Whether custom fees made the account pay in the denomination; failures are then said to be theirs. */
export const paidFee = (assessed: readonly AssessedFee[], denomination: Denomination, accountId: EntityId): boolean =>
  assessed.some((fee) => fee.denomination === denomination && fee.payerIds.includes(accountId));
