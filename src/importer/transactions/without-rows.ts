/** Transactions without a main entity that leave no rows but those that every transaction leaves. */
import { TransactionType } from '../../ledger/transaction-type.ts';
import { defineHandler } from './handler.ts';

export const cryptoTransfer = defineHandler(TransactionType.CRYPTOTRANSFER, 'cryptoTransfer');
export const uncheckedSubmit = defineHandler(TransactionType.UNCHECKEDSUBMIT, 'uncheckedSubmit');
export const atomicBatch = defineHandler(TransactionType.ATOMICBATCH, 'atomicBatch');
