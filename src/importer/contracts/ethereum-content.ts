/** What the body of an Ethereum transaction carries. */
import { decodeEthereumTransaction, type EthereumTransaction } from '../../ledger/ethereum-transaction.ts';
import type { TransactionBody } from '../../protobuf/generated/services/transaction.ts';

/** The Ethereum transaction inside a body, or why it cannot be read. */
export type EthereumContent =
  | { readonly transaction: EthereumTransaction; readonly fault?: undefined }
  | { readonly transaction?: undefined; readonly fault: string };

/** Undefined when the body is not one of an Ethereum transaction. */
export const ethereumContentOf = (body: TransactionBody): EthereumContent | undefined => {
  if (body.data?.$case !== 'ethereumTransaction') return undefined;
  try {
    return { transaction: decodeEthereumTransaction(body.data.ethereumTransaction.ethereumData) };
  } catch (fault) {
    return { fault: fault instanceof Error ? fault.message : String(fault) };
  }
};
