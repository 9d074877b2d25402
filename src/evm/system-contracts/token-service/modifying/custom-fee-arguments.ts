/** Custom fees as contracts pass them. */
import type { EntityId } from '../../../../ledger/entity-id.ts';
import { refuse } from '../../../hapi/operation.ts';
import type { AddressHex, CustomFees, FixedFee, FractionalFee, RoyaltyFee } from '../../../state/records.ts';
import type { World } from '../../../state/world.ts';
import { accountIdOf, tokenIdOf, ZERO_ADDRESS } from './addressed.ts';

export type FixedFeeTuple = readonly [
  amount: bigint,
  token: AddressHex,
  useHbar: boolean,
  useCurrentToken: boolean,
  collector: AddressHex,
];

export type FractionalFeeTuple = readonly [
  numerator: bigint,
  denominator: bigint,
  minimum: bigint,
  maximum: bigint,
  netOfTransfers: boolean,
  collector: AddressHex,
];

export type RoyaltyFeeTuple = readonly [
  numerator: bigint,
  denominator: bigint,
  amount: bigint,
  token: AddressHex,
  useHbar: boolean,
  collector: AddressHex,
];

/** Types of the three structs; amounts are `uint32` in the oldest variants and `int64` since. */
export const fixedFees = (amount: string): string => `(${amount},address,bool,bool,address)[]`;
export const fractionalFees = (amount: string): string => `(${amount},${amount},${amount},${amount},bool,address)[]`;
export const royaltyFees = (amount: string): string => `(${amount},${amount},${amount},address,bool,address)[]`;

const EXEMPT = { allCollectorsAreExempt: false } as const;

/** Exactly one of the three ways to pay must be named. */
export const namesOnePayment = ([, token, useHbar, useCurrentToken]: FixedFeeTuple): boolean =>
  [token !== ZERO_ADDRESS, useHbar, useCurrentToken].filter(Boolean).length === 1;

const fixedFeeOf =
  (world: World) =>
  async ([amount, token, useHbar, useCurrentToken, collector]: FixedFeeTuple): Promise<
    FixedFee & { readonly ofCurrentToken: boolean }
  > => {
    if (!namesOnePayment([amount, token, useHbar, useCurrentToken, collector])) refuse('INVALID_TRANSACTION_BODY');
    return {
      amount,
      denominatingTokenId: token === ZERO_ADDRESS ? undefined : await tokenIdOf(world, token),
      collectorId: await accountIdOf(world, collector),
      ofCurrentToken: useCurrentToken,
      ...EXEMPT,
    };
  };

const fractionalFeeOf =
  (world: World) =>
  async ([
    numerator,
    denominator,
    minimum,
    maximum,
    netOfTransfers,
    collector,
  ]: FractionalFeeTuple): Promise<FractionalFee> => ({
    numerator,
    denominator,
    minimum,
    maximum,
    netOfTransfers,
    collectorId: await accountIdOf(world, collector),
    ...EXEMPT,
  });

const royaltyFeeOf =
  (world: World) =>
  async ([numerator, denominator, amount, token, useHbar, collector]: RoyaltyFeeTuple): Promise<RoyaltyFee> => ({
    numerator,
    denominator,
    fallback:
      amount === 0n
        ? undefined
        : {
            amount,
            denominatingTokenId: useHbar || token === ZERO_ADDRESS ? undefined : await tokenIdOf(world, token),
          },
    collectorId: await accountIdOf(world, collector),
    ...EXEMPT,
  });

/** The fees for a token whose id the caller may not know yet: fees in the token itself take the id passed in. */
export const customFeesOf = async (
  world: World,
  fixed: readonly FixedFeeTuple[],
  fractional: readonly FractionalFeeTuple[],
  royalty: readonly RoyaltyFeeTuple[],
): Promise<(tokenId: EntityId) => CustomFees> => {
  const fixedOf = await Promise.all(fixed.map(fixedFeeOf(world)));
  const fractionalOf = await Promise.all(fractional.map(fractionalFeeOf(world)));
  const royaltyOf = await Promise.all(royalty.map(royaltyFeeOf(world)));
  return (tokenId) => ({
    fixed: fixedOf.map(({ ofCurrentToken, ...fee }) =>
      ofCurrentToken ? { ...fee, denominatingTokenId: tokenId } : fee,
    ),
    fractional: fractionalOf,
    royalty: royaltyOf,
  });
};
