/**
 * Consensus on a transaction of a client: what is checked again then, who pays, what it does, and the records of that.
 * All of it follows from the ledger's state and the transaction, since a block that was interrupted is made again.
 */

import { NANOS_PER_SECOND, nanosOf } from '../ledger/timestamp.ts';
import type { Key, TransactionID } from '../protobuf/generated/services/basic_types.ts';
import { ResponseCodeEnum } from '../protobuf/generated/services/response_code.ts';
import { TransactionRecord } from '../protobuf/generated/services/transaction_record.ts';
import type { BlockBuilder } from '../simulator/records/block-builder.ts';
import type { Draft } from '../simulator/records/draft.ts';
import { accountId } from '../simulator/records/proto-ids.ts';
import { accountOf } from '../simulator/state/account-book.ts';
import type { Account } from '../simulator/state/ledger-entities.ts';
import type { LedgerState } from '../simulator/state/ledger-state.ts';
import type { HandleSubmission, Submission } from '../simulator/submissions.ts';
import { hasSigned, keyOfHollow, serializedKey } from './operations/authorization.ts';
import type { Effect, Operation, Performance } from './operations/operation.ts';
import { operations } from './operations/operations.ts';
import { AccountDirectory } from './transactions/account-directory.ts';
import { type Charges, chargesOf, nothingCharged, paysNothing, totalOf } from './transactions/charges.ts';
import { Refusal } from './transactions/refusal.ts';
import { parseSent } from './transactions/sent-transaction.ts';
import { Signatures } from './transactions/signatures.ts';
import { plainAccountNum, transactionKey } from './transactions/transaction-key.ts';

/** How long ids are remembered after their valid start. */
export const REMEMBERED_NANOS = 180n * NANOS_PER_SECOND;
/** Kept a little longer than anybody is told of it. */
const FORGOTTEN_NANOS = REMEMBERED_NANOS + 30n * NANOS_PER_SECOND;

interface Verdict {
  readonly status: number;
  readonly charges: Charges;
  readonly effect: Effect;
  /** The node that should not have let it through pays instead of the payer. */
  readonly chargeNode: boolean;
}

/** Handles what clients sent to one simulated network. */
export const createSubmissionHandler = (): HandleSubmission => {
  let directory: AccountDirectory | undefined;
  let known: LedgerState | undefined;
  return (builder, submission) => {
    if (known !== builder.state || directory === undefined) {
      known = builder.state;
      directory = new AccountDirectory(builder.state);
    }
    handle(builder, submission, directory);
  };
};

const handle = (builder: BlockBuilder, { transaction, node }: Submission, directory: AccountDirectory): void => {
  const { state } = builder;
  const sent = parseSent(transaction);
  const operation = operations.get(sent.body.data?.$case ?? '') as Operation;
  const id = sent.body.transactionID as TransactionID;
  const validStart = nanosOf(id.transactionValidStart as NonNullable<TransactionID['transactionValidStart']>);
  // It was there when the node looked; by now it may be deleted.
  const payer = directory.withNum(plainAccountNum(id.accountID) as bigint) as Account;
  const nodeAccount = accountOf(state, node);
  const signatures = new Signatures(sent);
  const completed = new Map<Account, Key>();
  const base = { builder, state, directory, sent, payer, signatures, completed };
  const { status, charges, effect, chargeNode } = judge(base, operation, validStart, nodeAccount);
  const completions = status === ResponseCodeEnum.SUCCESS ? [...completed].map(complete(payer)) : [];
  const draft: Draft = {
    payer,
    // The transaction says it itself, in bytes.
    data: () => undefined,
    fee: totalOf(charges),
    nodeFee: charges.node,
    status,
    chargeNode,
    ...(sent.body.memo === '' ? {} : { memo: sent.body.memo }),
    ...effect,
    preceding: [...completions, ...(effect.preceding ?? [])],
  };
  const { bytes, signed, hash } = sent;
  const prepared = { bytes, signed, hash, type: operation.type };
  const records = builder.submitSent(draft, { prepared, validStart, node: nodeAccount });
  remember(builder, transactionKey(id) as string, validStart, records);
};

const nothing: Effect = {};

type Surroundings = Omit<Performance, 'fee'>;

const judge = (base: Surroundings, operation: Operation, validStart: bigint, node: Account): Verdict => {
  const { builder, state, directory, sent, payer, signatures, completed } = base;
  const view = { state, directory };
  const { body } = sent;
  const effects = operation.effects(body, view);
  const whole = paysNothing(payer.num) ? nothingCharged : chargesOf(sent, state, builder.rates.currentRate, effects);
  const withoutService = { ...whole, service: 0n };
  const refused = (status: number, charges: Charges): Verdict => ({
    status,
    charges,
    effect: nothing,
    chargeNode: false,
  });
  /** The network's part, as far as the node has it. */
  const atNodesCost = (status: number): Verdict => ({
    ...refused(status, node.balance >= whole.network ? { ...nothingCharged, network: whole.network } : nothingCharged),
    chargeNode: true,
  });

  const duration = (body.transactionValidDuration?.seconds ?? 0n) * NANOS_PER_SECOND;
  const at = builder.consensusTime;
  if (validStart > at) return atNodesCost(ResponseCodeEnum.INVALID_TRANSACTION_START);
  if (validStart + duration < at) return atNodesCost(ResponseCodeEnum.TRANSACTION_EXPIRED);
  if (payer.deleted) return atNodesCost(ResponseCodeEnum.PAYER_ACCOUNT_DELETED);
  if (!hasSigned(payer, signatures)) return atNodesCost(ResponseCodeEnum.INVALID_PAYER_SIGNATURE);
  if (payer.balance < totalOf(withoutService)) return atNodesCost(ResponseCodeEnum.INSUFFICIENT_PAYER_BALANCE);
  const fee = totalOf(whole);
  if (body.transactionFee < fee) return refused(ResponseCodeEnum.INSUFFICIENT_TX_FEE, withoutService);
  if (payer.balance < fee) return refused(ResponseCodeEnum.INSUFFICIENT_PAYER_BALANCE, withoutService);
  const key = keyOfHollow(payer, signatures);
  if (key !== undefined) completed.set(payer, key);
  try {
    const effect = operation.perform({ ...base, fee });
    return { status: ResponseCodeEnum.SUCCESS, charges: whole, effect, chargeNode: false };
  } catch (error) {
    if (error instanceof Refusal) return refused(error.code, whole);
    throw error;
  }
};

/** The update by which the network gives a hollow account its key. */
const complete =
  (payer: Account) =>
  ([account, key]: readonly [Account, Key]): Draft => {
    account.keyBytes = serializedKey(key);
    return {
      payer,
      fee: 0n,
      data: {
        $case: 'cryptoUpdateAccount',
        cryptoUpdateAccount: { accountIDToUpdate: accountId(account.num), key },
      },
      receipt: { accountID: accountId(account.num) },
    };
  };

const remember = (
  { state, consensusTime }: BlockBuilder,
  key: string,
  validStart: bigint,
  records: readonly Uint8Array[],
): void => {
  const { handled } = state.submitted;
  // They stand in the order in which they were handled, which is nearly that of their valid starts.
  for (const [old, transaction] of handled) {
    if (transaction.validStart + FORGOTTEN_NANOS > consensusTime) break;
    handled.delete(old);
  }
  const last = records.at(-1);
  const consensus = last && TransactionRecord.decode(last).consensusTimestamp;
  // Slices of the encoder's buffer would keep all of it.
  const kept = records.map((record) => Uint8Array.from(record));
  handled.set(key, { validStart, at: consensus === undefined ? consensusTime : nanosOf(consensus), records: kept });
};
