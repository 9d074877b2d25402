/**
 * Whether a token may have custom fees ([HIP-18](https://hips.hedera.com/hip/hip-18),
 * [HIP-573](https://hips.hedera.com/hip/hip-573)): the checks of token creation and fee schedule update.
 */
import type { EntityId } from '../../../ledger/entity-id.ts';
import type { CustomFees, FixedFee, FractionalFee, RoyaltyFee, TokenRecord } from '../../state/records.ts';
import { CUSTOM_FEES } from '../limits.ts';
import { type OperationContext, refuse } from '../operation.ts';

type FeeToken = Pick<TokenRecord, 'id' | 'type'>;

/** Collectors that a new token must be associated with: fees in the token itself reach them from the first transfer on. */
export const collectorsInOwnToken = (tokenId: EntityId, fees: CustomFees): ReadonlySet<EntityId> =>
  new Set([
    ...fees.fixed.filter(({ denominatingTokenId }) => denominatingTokenId === tokenId).map((fee) => fee.collectorId),
    ...fees.fractional.map(({ collectorId }) => collectorId),
  ]);

const checkDenomination = async (
  { world }: OperationContext,
  token: FeeToken,
  { denominatingTokenId, collectorId }: Pick<FixedFee, 'denominatingTokenId' | 'collectorId'>,
  isNew: boolean,
): Promise<void> => {
  if (denominatingTokenId === undefined) return;
  const own = denominatingTokenId === token.id;
  const denomination = own ? token : await world.token(denominatingTokenId);
  if (denomination === undefined) return refuse('INVALID_TOKEN_ID_IN_CUSTOM_FEES');
  if (!own && (denomination as TokenRecord).deleted) refuse('INVALID_TOKEN_ID_IN_CUSTOM_FEES');
  if (denomination.type !== 'FUNGIBLE_COMMON') refuse('CUSTOM_FEE_DENOMINATION_MUST_BE_FUNGIBLE_COMMON');
  if (own && isNew) return;
  const relation = await world.tokenRelation(collectorId, denominatingTokenId);
  if (relation === undefined) refuse('TOKEN_NOT_ASSOCIATED_TO_FEE_COLLECTOR');
};

const checkFraction = ({ numerator, denominator }: Pick<FractionalFee, 'numerator' | 'denominator'>): void => {
  if (denominator === 0n) refuse('FRACTION_DIVIDES_BY_ZERO');
  if (numerator <= 0n || denominator < 0n) refuse('CUSTOM_FEE_MUST_BE_POSITIVE');
};

const checkFractional = async (
  { world }: OperationContext,
  token: FeeToken,
  fee: FractionalFee,
  isNew: boolean,
): Promise<void> => {
  if (token.type !== 'FUNGIBLE_COMMON') refuse('CUSTOM_FRACTIONAL_FEE_ONLY_ALLOWED_FOR_FUNGIBLE_COMMON');
  checkFraction(fee);
  if (fee.minimum < 0n || fee.maximum < 0n) refuse('CUSTOM_FEE_MUST_BE_POSITIVE');
  if (fee.maximum > 0n && fee.maximum < fee.minimum) refuse('FRACTIONAL_FEE_MAX_AMOUNT_LESS_THAN_MIN_AMOUNT');
  if (!isNew && (await world.tokenRelation(fee.collectorId, token.id)) === undefined) {
    refuse('TOKEN_NOT_ASSOCIATED_TO_FEE_COLLECTOR');
  }
};

const checkRoyalty = async (
  context: OperationContext,
  token: FeeToken,
  fee: RoyaltyFee,
  isNew: boolean,
): Promise<void> => {
  if (token.type !== 'NON_FUNGIBLE_UNIQUE') refuse('CUSTOM_ROYALTY_FEE_ONLY_ALLOWED_FOR_NON_FUNGIBLE_UNIQUE');
  checkFraction(fee);
  if (fee.numerator > fee.denominator) refuse('ROYALTY_FRACTION_CANNOT_EXCEED_ONE');
  if (fee.fallback === undefined) return;
  if (fee.fallback.amount <= 0n) refuse('CUSTOM_FEE_MUST_BE_POSITIVE');
  await checkDenomination(context, token, { ...fee.fallback, collectorId: fee.collectorId }, isNew);
};

/** Refuses fees that the network would not accept for the token; a new token has no relations yet. */
export const checkCustomFees = async (
  context: OperationContext,
  token: FeeToken,
  fees: CustomFees,
  { isNew }: { readonly isNew: boolean },
): Promise<void> => {
  const all = [...fees.fixed, ...fees.fractional, ...fees.royalty];
  if (all.length > CUSTOM_FEES) refuse('CUSTOM_FEES_LIST_TOO_LONG');
  for (const { collectorId } of all) {
    const collector = await context.world.entity(collectorId);
    if (collector === undefined) refuse('INVALID_CUSTOM_FEE_COLLECTOR');
  }
  for (const fee of fees.fixed) {
    if (fee.amount <= 0n) refuse('CUSTOM_FEE_MUST_BE_POSITIVE');
    await checkDenomination(context, token, fee, isNew);
  }
  for (const fee of fees.fractional) await checkFractional(context, token, fee, isNew);
  for (const fee of fees.royalty) await checkRoyalty(context, token, fee, isNew);
};
