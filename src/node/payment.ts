/** Paying for queries: a transfer to the node that goes through as any other. */

import { ResponseCodeEnum } from '../protobuf/generated/services/response_code.ts';
import { Transaction } from '../protobuf/generated/services/transaction.ts';
import { hasSigned } from './operations/authorization.ts';
import { type CheckedTransaction, type PrecheckContext, precheck, UnpaidRefusal } from './precheck.ts';
import { demand } from './transactions/refusal.ts';
import { plainAccountNum } from './transactions/transaction-key.ts';

/**
 * Checks that a transaction pays the node so many tinybars.
 * @throws Refusal with what is wrong
 */
export const checkPayment = (
  payment: Transaction | undefined,
  cost: bigint,
  context: PrecheckContext,
): CheckedTransaction => {
  if (payment === undefined) throw new UnpaidRefusal(ResponseCodeEnum.INSUFFICIENT_TX_FEE, cost);
  const checked = precheck(Transaction.encode(payment).finish(), context);
  const { data } = checked.sent.body;
  demand(data?.$case === 'cryptoTransfer', ResponseCodeEnum.INSUFFICIENT_TX_FEE);
  const amounts = data.cryptoTransfer.transfers?.accountAmounts ?? [];
  demand(amounts.length > 0, ResponseCodeEnum.INVALID_ACCOUNT_AMOUNTS);
  for (const { accountID, amount } of amounts) {
    const account = context.directory.find(accountID);
    const isSpent = amount < 0n && account !== undefined && account !== checked.payer;
    demand(!isSpent || hasSigned(account, checked.signatures), ResponseCodeEnum.INVALID_SIGNATURE);
  }
  const received = amounts
    .filter(({ accountID }) => plainAccountNum(accountID) === context.node)
    .map(({ amount }) => amount);
  demand(received.length > 0, ResponseCodeEnum.INVALID_RECEIVING_NODE_ACCOUNT);
  const sum = received.reduce((total, amount) => total + amount, 0n);
  if (sum < cost) throw new UnpaidRefusal(ResponseCodeEnum.INSUFFICIENT_TX_FEE, cost);
  return checked;
};
