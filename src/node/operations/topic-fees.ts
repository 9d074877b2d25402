/**
 * What messages to a topic cost beside the network's fee ([HIP-991](https://hips.hedera.com/hip/hip-991)): what
 * creators may ask for, and what payers owe.
 */
import type { AccountID, Key } from '../../protobuf/generated/services/basic_types.ts';
import { Key as KeyMessage } from '../../protobuf/generated/services/basic_types.ts';
import type { FixedCustomFee } from '../../protobuf/generated/services/custom_fees.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import type { TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import { accountId, tokenId } from '../../simulator/records/proto-ids.ts';
import type { Account, Token } from '../../simulator/state/ledger-entities.ts';
import type { SubmittedTopic, SubmittedTopicFee } from '../../simulator/state/submitted-state.ts';
import { keyOfAccount } from '../transactions/account-directory.ts';
import { demand, Refusal } from '../transactions/refusal.ts';
import type { Signatures } from '../transactions/signatures.ts';
import { serializedKey } from './authorization.ts';
import { isUsableKey } from './new-keys.ts';
import type { Effect, LedgerView, Performance } from './operation.ts';
import type { KnownTopic } from './topics.ts';

const MOST_FEES = 10;
const MOST_EXEMPT_KEYS = 10;

interface TopicFeeParts {
  readonly customFees: readonly FixedCustomFee[];
  readonly feeExemptKeyList: readonly Key[];
  readonly feeScheduleKey: Key | undefined;
}

/** @throws Refusal FEE_EXEMPT_KEY_LIST_CONTAINS_DUPLICATED_KEYS */
export const checkExemptKeys = ({ feeExemptKeyList }: Pick<TopicFeeParts, 'feeExemptKeyList'>): void => {
  const keys = feeExemptKeyList.map((key) => Buffer.from(serializedKey(key)).toString('hex'));
  demand(new Set(keys).size === keys.length, ResponseCodeEnum.FEE_EXEMPT_KEY_LIST_CONTAINS_DUPLICATED_KEYS);
};

const feeOf = ({ fixedFee, feeCollectorAccountId }: FixedCustomFee, view: LedgerView): SubmittedTopicFee => {
  const collector = view.directory.find(feeCollectorAccountId);
  if (collector === undefined || collector.deleted) throw new Refusal(ResponseCodeEnum.INVALID_CUSTOM_FEE_COLLECTOR);
  if (fixedFee === undefined) throw new Refusal(ResponseCodeEnum.CUSTOM_FEE_NOT_FULLY_SPECIFIED);
  const { amount, denominatingTokenId } = fixedFee;
  demand(amount > 0n, ResponseCodeEnum.CUSTOM_FEE_MUST_BE_POSITIVE);
  if (denominatingTokenId === undefined) return { amount, collector };
  const { fungible, nfts } = view.state;
  const token = [...fungible, ...nfts].find(({ num }) => num === denominatingTokenId.tokenNum);
  if (token === undefined || token.deleted) throw new Refusal(ResponseCodeEnum.INVALID_TOKEN_ID_IN_CUSTOM_FEES);
  demand(!token.nft, ResponseCodeEnum.CUSTOM_FEE_DENOMINATION_MUST_BE_FUNGIBLE_COMMON);
  demand(collector.holdings.has(token.num), ResponseCodeEnum.TOKEN_NOT_ASSOCIATED_TO_FEE_COLLECTOR);
  return { amount, collector, token };
};

/** The fees of a new topic. @throws Refusal of what the network does not take */
export const topicFees = (
  { customFees, feeExemptKeyList, feeScheduleKey }: TopicFeeParts,
  view: LedgerView,
): Pick<SubmittedTopic, 'fees' | 'exemptKeys' | 'feeScheduleKey'> => {
  demand(feeScheduleKey === undefined || isUsableKey(feeScheduleKey), ResponseCodeEnum.INVALID_CUSTOM_FEE_SCHEDULE_KEY);
  demand(feeExemptKeyList.length <= MOST_EXEMPT_KEYS, ResponseCodeEnum.MAX_ENTRIES_FOR_FEE_EXEMPT_KEY_LIST_EXCEEDED);
  demand(
    feeExemptKeyList.every((key) => isUsableKey(key)),
    ResponseCodeEnum.INVALID_KEY_IN_FEE_EXEMPT_KEY_LIST,
  );
  demand(customFees.length <= MOST_FEES, ResponseCodeEnum.CUSTOM_FEES_LIST_TOO_LONG);
  return {
    fees: customFees.map((fee) => feeOf(fee, view)),
    exemptKeys: feeExemptKeyList.map(serializedKey),
    feeScheduleKey: feeScheduleKey && serializedKey(feeScheduleKey),
  };
};

const feesOf = ({ fees, fee }: KnownTopic): readonly SubmittedTopicFee[] => fees ?? (fee === undefined ? [] : [fee]);

/** What the topic's own information says of its fees. */
export const shownFees = (topic: KnownTopic) => ({
  customFees: feesOf(topic).map(({ amount, collector, token }) => ({
    fixedFee: { amount, denominatingTokenId: token && tokenId(token.num) },
    feeCollectorAccountId: accountId(collector.num),
  })),
  feeExemptKeyList: topic.exemptKeys?.map((key) => KeyMessage.decode(key)) ?? topic.exempt.map(keyOfAccount),
});

/** What a payer owes for a message, except to itself; nothing where one of the exempt keys signed. */
const dues = (topic: KnownTopic, payer: Account, signatures?: Signatures): readonly SubmittedTopicFee[] => {
  const isExempt =
    topic.exempt.includes(payer) ||
    topic.exemptKeys?.some((key) => signatures?.satisfy(KeyMessage.decode(key)) === true) === true;
  return isExempt ? [] : feesOf(topic).filter(({ collector }) => collector !== payer);
};

/** Tinybars that the payer must have for a message, as far as that can be told before its signatures count. */
export const hbarDues = (topic: KnownTopic, payer: Account, signatures?: Signatures): bigint =>
  dues(topic, payer, signatures).reduce((sum, { amount, token }) => (token === undefined ? sum + amount : sum), 0n);

const isOf = ({ num }: Account, id: AccountID | undefined): boolean =>
  id?.account?.$case === 'accountNum' && id.account.accountNum === num;

/** @throws Refusal of limits that contradict themselves */
export const checkFeeLimits = ({ maxCustomFees }: TransactionBody): void => {
  const payers = maxCustomFees.map(({ accountId: payer }) =>
    payer?.account?.$case === 'accountNum' ? payer.account.accountNum : undefined,
  );
  const areValid = maxCustomFees.every(
    ({ fees }, index) => payers[index] !== undefined && fees.length > 0 && fees.every(({ amount }) => amount >= 0n),
  );
  demand(areValid, ResponseCodeEnum.INVALID_MAX_CUSTOM_FEES);
  demand(new Set(payers).size === payers.length, ResponseCodeEnum.DUPLICATE_ACCOUNT_ID_IN_MAX_CUSTOM_FEE_LIST);
  for (const { fees } of maxCustomFees) {
    const denominations = new Set(fees.map(({ denominatingTokenId }) => denominatingTokenId?.tokenNum));
    demand(denominations.size === fees.length, ResponseCodeEnum.DUPLICATE_DENOMINATION_IN_MAX_CUSTOM_FEE_LIST);
  }
};

/** A payer that names no limit at all pays whatever the topic asks for. */
const demandWithinLimits = (
  owed: ReadonlyMap<Token | undefined, bigint>,
  payer: Account,
  { maxCustomFees }: TransactionBody,
): void => {
  if (maxCustomFees.length === 0) return;
  const limits = maxCustomFees.filter(({ accountId: limited }) => isOf(payer, limited)).flatMap(({ fees }) => fees);
  for (const [token, amount] of owed) {
    const limit = limits.find(({ denominatingTokenId }) => denominatingTokenId?.tokenNum === token?.num);
    if (limit === undefined) throw new Refusal(ResponseCodeEnum.NO_VALID_MAX_CUSTOM_FEE);
    demand(amount <= limit.amount, ResponseCodeEnum.MAX_CUSTOM_FEE_LIMIT_EXCEEDED);
  }
};

/** Charges what a message costs beside the network's fee. @throws Refusal when the payer does not want or can't pay it */
export const chargeTopicFees = (topic: KnownTopic, performance: Performance): Pick<Effect, 'hbar' | 'record'> => {
  const { payer, sent, fee, signatures } = performance;
  const due = dues(topic, payer, signatures);
  if (due.length === 0) return {};
  const owed = new Map<Token | undefined, bigint>();
  for (const { token, amount } of due) owed.set(token, (owed.get(token) ?? 0n) + amount);
  demandWithinLimits(owed, payer, sent.body);
  for (const token of owed.keys()) {
    // Nothing that clients can do here gives an account tokens.
    demand(token === undefined || payer.holdings.has(token.num), ResponseCodeEnum.TOKEN_NOT_ASSOCIATED_TO_ACCOUNT);
    demand(token === undefined, ResponseCodeEnum.NOT_SUPPORTED);
  }
  const total = owed.get(undefined) ?? 0n;
  demand(payer.balance - fee >= total, ResponseCodeEnum.INSUFFICIENT_PAYER_BALANCE);
  return {
    hbar: [{ account: payer, amount: -total }, ...due.map(({ collector, amount }) => ({ account: collector, amount }))],
    record: {
      assessedCustomFees: due.map(({ collector, amount }) => ({
        amount,
        feeCollectorAccountId: accountId(collector.num),
        effectivePayerAccountId: [accountId(payer.num)],
      })),
    },
  };
};
