/** What a node checks before it hands a transaction to the network, in the order in which nodes do. */

import { NANOS_PER_SECOND, nanosOf } from '../ledger/timestamp.ts';
import { ResponseCodeEnum } from '../protobuf/generated/services/response_code.ts';
import type { TransactionBody } from '../protobuf/generated/services/transaction.ts';
import type { Account } from '../simulator/state/ledger-entities.ts';
import { hasSigned } from './operations/authorization.ts';
import type { LedgerView, Operation } from './operations/operation.ts';
import { operations } from './operations/operations.ts';
import { isContract } from './transactions/account-directory.ts';
import type { ExchangeRate } from './transactions/charges.ts';
import { chargesOf, paysNothing } from './transactions/charges.ts';
import { demand, Refusal } from './transactions/refusal.ts';
import { parseSent, type SentTransaction } from './transactions/sent-transaction.ts';
import { hasAmbiguousPrefixes, Signatures } from './transactions/signatures.ts';
import { plainAccountNum, transactionKey } from './transactions/transaction-key.ts';

/** Bytes of a transaction; Ethereum transactions alone may be larger. */
const MOST_TRANSACTION_BYTES = 6_144;
const MOST_MEMO_BYTES = 100;
const SHORTEST_SECONDS = 15n;
const LONGEST_SECONDS = 180n;
/** A transaction that ends so soon would not reach consensus in time. */
const MARGIN_NANOS = 10n * NANOS_PER_SECOND;

export interface PrecheckContext extends LedgerView {
  /** Account number of this node. */
  readonly node: bigint;
  /** Nanoseconds since the epoch. */
  readonly now: bigint;
  readonly rate: ExchangeRate;
  /** Whether a transaction with this key was taken already. */
  readonly isKnown: (key: string) => boolean;
  /** Whether there is no room for another one. */
  readonly isBusy: boolean;
}

export interface CheckedTransaction {
  readonly sent: SentTransaction;
  readonly key: string;
  readonly payer: Account;
  readonly signatures: Signatures;
}

/** A transaction whose payer can't or won't pay what it costs. */
export class UnpaidRefusal extends Refusal {
  /** Tinybars that node and network charge. */
  readonly cost: bigint;

  constructor(code: number, cost: bigint) {
    super(code);
    this.name = 'UnpaidRefusal';
    this.cost = cost;
  }
}

/** @throws Refusal with the first code that applies */
export const precheck = (bytes: Uint8Array, context: PrecheckContext): CheckedTransaction => {
  demand(bytes.length <= MOST_TRANSACTION_BYTES, ResponseCodeEnum.TRANSACTION_OVERSIZE);
  const sent = parseSent(bytes);
  const { body } = sent;
  const key = checkId(body);
  demand(!hasAmbiguousPrefixes(sent.pairs), ResponseCodeEnum.KEY_PREFIX_MISMATCH);
  const payerNum = checkFrame(body);
  demand(plainAccountNum(body.nodeAccountID) === context.node, ResponseCodeEnum.INVALID_NODE_ACCOUNT);
  checkTime(body, context.now);
  demand(!context.isKnown(key()), ResponseCodeEnum.DUPLICATE_TRANSACTION);
  const operation = operations.get(body.data?.$case ?? '');
  demand(operation !== undefined, ResponseCodeEnum.NOT_SUPPORTED);
  demand(!context.isBusy, ResponseCodeEnum.BUSY);
  operation.check(body);
  const payer = checkPayer(payerNum, context);
  const signatures = new Signatures(sent);
  demand(hasSigned(payer, signatures), ResponseCodeEnum.INVALID_SIGNATURE);
  checkSolvency(sent, operation, payer, context);
  return { sent, key: key(), payer, signatures };
};

/** Gives what makes the id's key, which it has only if the rest of it is right. */
const checkId = ({ transactionID }: TransactionBody): (() => string) => {
  demand(transactionID !== undefined, ResponseCodeEnum.INVALID_TRANSACTION_ID);
  demand(transactionID.accountID !== undefined, ResponseCodeEnum.PAYER_ACCOUNT_NOT_FOUND);
  return () => transactionKey(transactionID) ?? '';
};

const isNegative = (value: bigint): boolean => BigInt.asIntN(64, value) < 0n;

/** Account number of the payer. */
const checkFrame = ({ transactionID, memo, transactionFee, transactionValidDuration }: TransactionBody): bigint => {
  const num = plainAccountNum(transactionID?.accountID);
  demand(num !== undefined && num > 0n, ResponseCodeEnum.PAYER_ACCOUNT_NOT_FOUND);
  const isPlain = transactionID?.scheduled === false && transactionID.nonce === 0;
  demand(isPlain, ResponseCodeEnum.TRANSACTION_ID_FIELD_NOT_ALLOWED);
  demand(transactionID?.transactionValidStart !== undefined, ResponseCodeEnum.INVALID_TRANSACTION_START);
  demand(Buffer.byteLength(memo) <= MOST_MEMO_BYTES, ResponseCodeEnum.MEMO_TOO_LONG);
  demand(!memo.includes('\0'), ResponseCodeEnum.INVALID_ZERO_BYTE_IN_STRING);
  demand(!isNegative(transactionFee), ResponseCodeEnum.INSUFFICIENT_TX_FEE);
  demand(transactionValidDuration !== undefined, ResponseCodeEnum.INVALID_TRANSACTION_DURATION);
  return num as bigint;
};

const checkTime = ({ transactionID, transactionValidDuration }: TransactionBody, now: bigint): void => {
  const seconds = transactionValidDuration?.seconds ?? 0n;
  const isUsual = seconds >= SHORTEST_SECONDS && seconds <= LONGEST_SECONDS;
  demand(isUsual, ResponseCodeEnum.INVALID_TRANSACTION_DURATION);
  const start = nanosOf(transactionID?.transactionValidStart ?? { seconds: 0n, nanos: 0 });
  demand(start + seconds * NANOS_PER_SECOND - MARGIN_NANOS >= now, ResponseCodeEnum.TRANSACTION_EXPIRED);
  demand(start <= now, ResponseCodeEnum.INVALID_TRANSACTION_START);
};

const checkPayer = (num: bigint, { state, directory }: LedgerView): Account => {
  const payer = directory.withNum(num);
  demand(payer !== undefined && !isContract(state, num), ResponseCodeEnum.PAYER_ACCOUNT_NOT_FOUND);
  demand(payer?.deleted === false, ResponseCodeEnum.PAYER_ACCOUNT_DELETED);
  return payer as Account;
};

const checkSolvency = (sent: SentTransaction, operation: Operation, payer: Account, context: PrecheckContext): void => {
  if (paysNothing(payer.num)) return;
  const { body } = sent;
  const effects = operation.effects(body, context);
  const { node, network } = chargesOf(sent, context.state, context.rate, effects);
  const offered = body.transactionFee;
  const cost = node + network;
  const { INSUFFICIENT_PAYER_BALANCE, INSUFFICIENT_TX_FEE } = ResponseCodeEnum;
  const require = (holds: boolean, code: number): void => {
    if (!holds) throw new UnpaidRefusal(code, cost);
  };
  require(offered >= network, INSUFFICIENT_TX_FEE);
  require(payer.balance >= network, INSUFFICIENT_PAYER_BALANCE);
  require(offered >= cost, INSUFFICIENT_TX_FEE);
  require(payer.balance >= cost, INSUFFICIENT_PAYER_BALANCE);
  require(payer.balance >= cost + operation.spends(body, payer, context), INSUFFICIENT_PAYER_BALANCE);
};
