/**
 * The route of `/api/v1/balances`. It reads `entity` and `token_account` for current balances, `account_balance` and
 * `token_balance` for past ones.
 */
import type { Route } from '../../api/route.ts';
import { balanceList } from './balance-list.ts';

export const balanceRoutes: readonly Route[] = [balanceList];
