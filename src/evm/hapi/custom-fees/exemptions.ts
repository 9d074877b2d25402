import type { EntityId } from '../../../ledger/entity-id.ts';
import type { TokenRecord } from '../../state/records.ts';

interface CollectedFee {
  readonly collectorId: EntityId;
  readonly allCollectorsAreExempt: boolean;
}

const isCollector = ({ customFees }: TokenRecord, accountId: EntityId): boolean =>
  [customFees.fixed, customFees.fractional, customFees.royalty].some((fees) =>
    fees.some(({ collectorId }) => collectorId === accountId),
  );

/** Whether an account need not pay a fee: the treasury, the fee's collector, and maybe collectors of the token's others. */
export const isExempt = (token: TokenRecord, fee: CollectedFee, accountId: EntityId): boolean =>
  token.treasuryId === accountId ||
  fee.collectorId === accountId ||
  (fee.allCollectorsAreExempt && isCollector(token, accountId));
