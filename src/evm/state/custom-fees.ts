/** Custom fees from the text of the jsonb columns of `custom_fee`; 64-bit integers stay exact. */
import type { EntityId } from '../../ledger/entity-id.ts';
import type { CustomFees, FixedFee, FractionalFee, RoyaltyFee } from './records.ts';

interface StoredAmount {
  readonly amount?: bigint | null;
  readonly denominating_token_id?: bigint | null;
}

interface StoredFee {
  readonly all_collectors_are_exempt?: boolean | null;
  readonly collector_account_id?: bigint | null;
}

interface StoredFraction {
  readonly numerator?: bigint | null;
  readonly denominator?: bigint | null;
}

interface StoredFractionalFee extends StoredFee, StoredFraction {
  readonly maximum_amount?: bigint | null;
  readonly minimum_amount?: bigint | null;
  readonly net_of_transfers?: boolean | null;
}

interface StoredRoyaltyFee extends StoredFee, StoredFraction {
  readonly fallback_fee?: StoredAmount | null;
}

export interface CustomFeeRow {
  readonly fixed_fees: string | null;
  readonly fractional_fees: string | null;
  readonly royalty_fees: string | null;
}

const exactInteger = (_name: string, value: unknown, context: { readonly source: string }): unknown =>
  typeof value === 'number' ? BigInt(context.source) : value;

// The types of JSON.parse don't know of the source text yet.
const parseExact = JSON.parse as (text: string, reviver: typeof exactInteger) => unknown;

const listOf = <Fee>(text: string | null): Fee[] =>
  text === null ? [] : ((parseExact(text, exactInteger) ?? []) as Fee[]);

const noEntity = (id: bigint | null | undefined): id is null | undefined | 0n => !id;

/** Fees of a list that somebody collects. */
const collected = <Fee extends StoredFee, Result>(
  text: string | null,
  convert: (fee: Fee, collector: { collectorId: EntityId; allCollectorsAreExempt: boolean }) => Result,
): Result[] =>
  listOf<Fee>(text).flatMap((fee) => {
    const { collector_account_id: collectorId, all_collectors_are_exempt: exempt } = fee;
    return noEntity(collectorId) ? [] : [convert(fee, { collectorId, allCollectorsAreExempt: exempt === true })];
  });

const amountOf = ({ amount, denominating_token_id: token }: StoredAmount) => ({
  amount: amount ?? 0n,
  denominatingTokenId: noEntity(token) ? undefined : token,
});

const fractionOf = ({ numerator, denominator }: StoredFraction) => ({
  numerator: numerator ?? 0n,
  denominator: denominator ?? 0n,
});

export const customFeesOf = (row: CustomFeeRow): CustomFees => ({
  fixed: collected<StoredFee & StoredAmount, FixedFee>(row.fixed_fees, (fee, collector) => ({
    ...amountOf(fee),
    ...collector,
  })),
  fractional: collected<StoredFractionalFee, FractionalFee>(row.fractional_fees, (fee, collector) => ({
    ...fractionOf(fee),
    minimum: fee.minimum_amount ?? 0n,
    maximum: fee.maximum_amount ?? 0n,
    netOfTransfers: fee.net_of_transfers === true,
    ...collector,
  })),
  royalty: collected<StoredRoyaltyFee, RoyaltyFee>(row.royalty_fees, (fee, collector) => ({
    ...fractionOf(fee),
    fallback: fee.fallback_fee?.amount ? amountOf(fee.fallback_fee) : undefined,
    ...collector,
  })),
});
