import type { EntityId } from '../../../ledger/entity-id.ts';
import { assessCustomFees, type FeeAssessment } from '../custom-fees/assess-fees.ts';
import type { OperationContext } from '../operation.ts';
import { associateParties } from './automatic-associations.ts';
import { checkHbarAllowances, moveHbar } from './move-hbar.ts';
import { moveSerials, moveUnits } from './move-tokens.ts';
import { netTokenTransfers } from './net-transfers.ts';
import { checkLimits, checkParties, checkTransfers } from './request-checks.ts';
import { resolveParties } from './resolve-parties.ts';
import type { AssessedFee, Party, TokenTransfers, Transfers } from './transfers.ts';

export interface TransferEffects {
  /** What accounts gave and got in the end, custom fees included, as records tell it. */
  readonly tokens: readonly TokenTransfers[];
  readonly assessedFees: readonly AssessedFee[];
  readonly automaticAssociations: number;
  /** Accounts that were created for addresses. */
  readonly createdIds: readonly EntityId[];
}

/** Makes transfers whose fees are settled, level by level; the number of automatic associations that this took. */
export const makeTransfers = async (
  context: OperationContext,
  { levels, assessed }: FeeAssessment,
): Promise<number> => {
  let automaticAssociations = 0;
  for (const { hbar, tokens } of levels) {
    automaticAssociations += await associateParties(context, tokens);
    await moveHbar(context, hbar, assessed);
    await moveUnits(context, tokens, assessed);
    await moveSerials(context, tokens);
  }
  return automaticAssociations;
};

/** Creates missing accounts, and checks the request once more with their ids. */
const resolved = async (context: OperationContext, request: Transfers<Party>) => {
  const hbarOfAccounts = request.hbar.flatMap(({ party, ...rest }) =>
    typeof party === 'bigint' ? [{ ...rest, party }] : [],
  );
  await checkHbarAllowances(context, hbarOfAccounts);
  const resolution = await resolveParties(context, request);
  checkTransfers(resolution.transfers);
  return resolution;
};

/** Moves tinybars, units and serials, and charges custom fees (CryptoTransfer). */
export const transfer = async (context: OperationContext, request: Transfers<Party>): Promise<TransferEffects> => {
  checkTransfers(request);
  await checkParties(context, request);
  checkLimits(context, request);
  const { transfers, createdIds } = await resolved(context, request);
  const assessment = await assessCustomFees(context, transfers, new Set(createdIds));
  const automaticAssociations = await makeTransfers(context, assessment);
  return {
    tokens: netTokenTransfers(assessment.levels),
    assessedFees: assessment.assessed,
    automaticAssociations,
    createdIds,
  };
};

/** Like `transfer`, but without custom fees: where they were paid before, or don't apply. */
export const transferWithoutFees = async (
  context: OperationContext,
  request: Transfers<Party>,
): Promise<TransferEffects> => {
  const { transfers, createdIds } = await resolved(context, request);
  const automaticAssociations = await makeTransfers(context, { levels: [transfers], assessed: [] });
  return { tokens: netTokenTransfers([transfers]), assessedFees: [], automaticAssociations, createdIds };
};
