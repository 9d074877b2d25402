/** Several transactions that take effect together or not at all ([HIP-551](https://hips.hedera.com/hip/hip-551)). */
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { protobufKey } from '../keys/account-key.ts';
import { fees } from '../network/fee-schedule.ts';
import type { BlockBuilder } from '../records/block-builder.ts';
import type { Captured, Draft } from '../records/draft.ts';
import { cryptoTransferData } from '../records/item-encoder.ts';
import type { Account } from '../state/ledger-entities.ts';
import { updateAccount } from './accounts/account-changes.ts';
import { transferHbar } from './accounts/hbar-transfer.ts';
import { type Activity, chooseOther, chooseUser } from './choose.ts';
import { callContract } from './contracts/contract-calls.ts';
import { submitMessage } from './messages.ts';
import { associateToken } from './tokens/token-relations.ts';

const HBAR = 100_000_000n;
/** Distance of inner transactions, which leaves room for children. */
const INNER_NANOS = 10n;
/** The first of them comes after the children of the batch itself, of which there are none. */
const PARTS: readonly Activity[] = [transferHbar, submitMessage, associateToken, updateAccount, callContract];

const withBatchKey = (inner: Captured, signer: Account): Captured =>
  signer.key === undefined
    ? inner
    : { ...inner, draft: { ...inner.draft, body: { ...inner.draft.body, batchKey: protobufKey(signer.key) } } };

const submitBatch = (builder: BlockBuilder, payer: Account, inner: readonly Captured[], status?: number): void =>
  builder.submit({
    payer,
    fee: fees.batch,
    // The builder replaces this by the bytes of the inner transactions.
    data: { $case: 'atomicBatch', atomicBatch: {} },
    inner: inner.map((one) => withBatchKey(one, payer)),
    ...(status === undefined ? {} : { status }),
  });

/** Two to four transactions of different payers; one batch in five fails. */
export const submitAtomicBatch: Activity = (builder) => {
  const { random } = builder;
  const payer = chooseUser(builder, 100n * HBAR);
  if (payer?.key === undefined) return false;
  if (random.chance(0.2)) return failBatch(builder, payer);
  const inner: Captured[] = [];
  for (let i = random.between(2, 4); i > 0; i--) {
    const part = PARTS[random.below(PARTS.length)] as Activity;
    const captured = builder.capture(INNER_NANOS * BigInt(inner.length + 1), () => part(builder));
    if (captured !== undefined) inner.push(captured);
  }
  if (inner.length === 0) return false;
  submitBatch(builder, payer, inner);
  return true;
};

/** The second inner transaction fails, which takes back the first; the third never comes to consensus. */
const failBatch = (builder: BlockBuilder, payer: Account): boolean => {
  const receiver = chooseOther(builder, payer);
  const victim = receiver && chooseOther(builder, receiver);
  if (receiver === undefined || victim === undefined) return false;
  const transferOf = (from: Account, to: Account, status: number): Draft => {
    const hbar = [
      { account: from, amount: -1_000n },
      { account: to, amount: 1_000n },
    ];
    return { payer, fee: fees.transfer, data: cryptoTransferData(hbar), hbar, status };
  };
  const drafts = [
    transferOf(payer, receiver, ResponseCodeEnum.REVERTED_SUCCESS),
    transferOf(victim, receiver, ResponseCodeEnum.INVALID_SIGNATURE),
  ];
  const inner = drafts.flatMap((draft, index) => {
    const captured = builder.capture(INNER_NANOS * BigInt(index + 1), () => {
      builder.submit(draft);
      return true;
    });
    return captured === undefined ? [] : [captured];
  });
  submitBatch(builder, payer, inner, ResponseCodeEnum.INNER_TRANSACTION_FAILED);
  return true;
};
