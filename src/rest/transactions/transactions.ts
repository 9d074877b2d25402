/** The routes of `/api/v1/transactions`. They read `transaction`, the transfer tables, `assessed_custom_fee` and `transaction_hash`. */
import type { Route } from '../../api/route.ts';
import { transactionById } from './transaction-by-id.ts';
import { transactionList } from './transaction-list.ts';

export const transactionRoutes: readonly Route[] = [transactionList, transactionById];
