/** Receipts and records of the transactions of the last minutes. */
import type { TransactionID } from '../../protobuf/generated/services/basic_types.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { TransactionRecord } from '../../protobuf/generated/services/transaction_record.ts';
import type { TransactionTracker } from '../transaction-tracker.ts';
import { demand, Refusal } from '../transactions/refusal.ts';
import { transactionKey } from '../transactions/transaction-key.ts';
import { queryKind, USUAL_PRICE } from './query-kind.ts';

const PRICE_OF_FURTHER_RECORD = 1_000_000n;

interface Results {
  readonly record: TransactionRecord;
  readonly children: readonly TransactionRecord[];
}

const nonceOf = ({ transactionID }: TransactionRecord): number => transactionID?.nonce ?? 0;

/** The record with the id's nonce, and those of children; undefined: there is none. */
const resultsOf = (id: TransactionID, key: string, tracker: TransactionTracker): Results | 'pending' | undefined => {
  const fate = tracker.find(key);
  if (fate === undefined || fate === 'pending') return fate;
  const records = fate.records.map((bytes) => TransactionRecord.decode(bytes));
  const record = records.find((one) => nonceOf(one) === id.nonce);
  const children = records.filter((one) => nonceOf(one) > 0).toSorted((a, b) => nonceOf(a) - nonceOf(b));
  return record && { record, children: id.nonce === 0 ? children : [] };
};

export const transactionReceipt = queryKind({
  name: 'transactionGetReceipt',
  price: 0n,
  find: ({ transactionID, includeChildReceipts }, { tracker }) => {
    const key = transactionID && transactionKey(transactionID);
    demand(key !== undefined, ResponseCodeEnum.INVALID_TRANSACTION_ID);
    const results = resultsOf(transactionID as TransactionID, key, tracker);
    demand(results !== undefined, ResponseCodeEnum.RECEIPT_NOT_FOUND);
    if (results === 'pending') return { answer: { receipt: { status: ResponseCodeEnum.UNKNOWN } } };
    const { record, children } = results;
    return {
      answer: {
        receipt: record.receipt,
        childTransactionReceipts: includeChildReceipts ? children.map(({ receipt }) => receipt) : [],
      },
    };
  },
});

export const transactionRecord = queryKind({
  name: 'transactionGetRecord',
  price: USUAL_PRICE,
  find: ({ transactionID, includeChildRecords }, { tracker }) => {
    demand(transactionID?.accountID !== undefined, ResponseCodeEnum.INVALID_ACCOUNT_ID);
    const id = transactionID as TransactionID;
    const key = transactionKey(id);
    const results = key === undefined ? undefined : resultsOf(id, key, tracker);
    if (results === undefined || results === 'pending') throw new Refusal(ResponseCodeEnum.RECORD_NOT_FOUND);
    const children = includeChildRecords ? results.children : [];
    return {
      answer: { transactionRecord: results.record, childTransactionRecords: children },
      tinycents: USUAL_PRICE + PRICE_OF_FURTHER_RECORD * BigInt(children.length),
    };
  },
});
