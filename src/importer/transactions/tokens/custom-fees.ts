/** The fees of tokens and topics as `custom_fee` keeps them: one JSON list for each kind of fee. */

import { EMPTY_ENTITY_ID, type EntityId } from '../../../ledger/entity-id.ts';
import type { TokenID } from '../../../protobuf/generated/services/basic_types.ts';
import type {
  CustomFee,
  FixedCustomFee,
  FixedFee,
  FractionalFee,
  RoyaltyFee,
} from '../../../protobuf/generated/services/custom_fees.ts';
import { orNull } from '../../common/ids.ts';
import { type Json, jsonText } from '../column-values.ts';
import { type Call, problem, rangeFrom, touch } from '../handler.ts';
import { accountNumber, tokenNumber } from '../ids.ts';

/** Token that a fee is paid in; null for tinybars. A given 0.0.0 stands for the token that the fee belongs to. */
const denomination = (call: Call, id: TokenID | undefined): EntityId | null => {
  if (id === undefined) return null;
  const token = tokenNumber(call, id);
  touch(call, token);
  return token === EMPTY_ENTITY_ID ? call.entityId : token;
};

const collectorOf = (call: Call, fee: CustomFee | FixedCustomFee): EntityId | null => {
  const collector = accountNumber(call, fee.feeCollectorAccountId);
  touch(call, collector);
  return orNull(collector);
};

const fixedAmount = (call: Call, fee: FixedFee | undefined): { amount: bigint; denominating_token_id: Json } => ({
  amount: fee?.amount ?? 0n,
  denominating_token_id: denomination(call, fee?.denominatingTokenId),
});

const fractionalColumns = (fee: FractionalFee) => ({
  denominator: fee.fractionalAmount?.denominator ?? 0n,
  maximum_amount: fee.maximumAmount === 0n ? null : fee.maximumAmount,
  minimum_amount: fee.minimumAmount,
  net_of_transfers: fee.netOfTransfers,
  numerator: fee.fractionalAmount?.numerator ?? 0n,
});

const royaltyColumns = (call: Call, fee: RoyaltyFee) => ({
  denominator: fee.exchangeValueFraction?.denominator ?? 0n,
  fallback_fee: fee.fallbackFee === undefined ? null : fixedAmount(call, fee.fallbackFee),
  numerator: fee.exchangeValueFraction?.numerator ?? 0n,
});

interface FeeLists {
  readonly fixed: Json[];
  readonly fractional: Json[];
  readonly royalty: Json[];
}

const listText = (fees: Json[]): string | null => (fees.length === 0 ? null : jsonText(fees));

const addFee = (call: Call, lists: FeeLists, custom: CustomFee): boolean => {
  const collector = {
    all_collectors_are_exempt: custom.allCollectorsAreExempt,
    collector_account_id: collectorOf(call, custom),
  };
  switch (custom.fee?.$case) {
    case 'fixedFee':
      lists.fixed.push({ ...collector, ...fixedAmount(call, custom.fee.fixedFee) });
      return true;
    case 'fractionalFee':
      lists.fractional.push({ ...collector, ...fractionalColumns(custom.fee.fractionalFee) });
      return true;
    case 'royaltyFee':
      lists.royalty.push({ ...collector, ...royaltyColumns(call, custom.fee.royaltyFee) });
      return true;
    default:
      problem(call, 'Custom fee of an unknown kind');
      return false;
  }
};

/** Replaces the fees of the token that is the main entity; leaves them when not one of the given fees can be read. */
export const stageTokenFees = (call: Call, fees: readonly CustomFee[]): void => {
  const lists: FeeLists = { fixed: [], fractional: [], royalty: [] };
  const read = fees.filter((fee) => addFee(call, lists, fee));
  if (fees.length > 0 && read.length === 0) return;
  call.context.batch.stage('custom_fee', {
    entity_id: call.entityId,
    fixed_fees: listText(lists.fixed),
    fractional_fees: listText(lists.fractional),
    royalty_fees: listText(lists.royalty),
    timestamp_range: rangeFrom(call),
  });
};

/**
 * Replaces the fees of the topic that is the main entity ([HIP-991](https://hips.hedera.com/hip/hip-991)); a topic
 * without fees has an empty list.
 */
export const stageTopicFees = (call: Call, fees: readonly FixedCustomFee[]): void => {
  const fixed = fees.map((fee) => {
    const token = tokenNumber(call, fee.fixedFee?.denominatingTokenId);
    touch(call, token);
    return {
      all_collectors_are_exempt: false,
      amount: fee.fixedFee?.amount ?? 0n,
      collector_account_id: collectorOf(call, fee),
      denominating_token_id: orNull(token),
    };
  });
  call.context.batch.stage('custom_fee', {
    entity_id: call.entityId,
    fixed_fees: jsonText(fixed),
    fractional_fees: null,
    royalty_fees: null,
    timestamp_range: rangeFrom(call),
  });
};

const isChargedInToken = (call: Call, { fee }: CustomFee): boolean => {
  if (fee?.$case === 'fractionalFee') return true;
  return fee?.$case === 'fixedFee' && denomination(call, fee.fixedFee.denominatingTokenId) === call.entityId;
};

/** Accounts that collect fees in the very token that is the main entity, and so hold it from its creation on. */
export const collectorsOfToken = (call: Call, fees: readonly CustomFee[]): EntityId[] =>
  fees.filter((fee) => isChargedInToken(call, fee)).map((fee) => accountNumber(call, fee.feeCollectorAccountId));
