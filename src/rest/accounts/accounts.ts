/**
 * The routes of `/api/v1/accounts` that show accounts themselves. They read `entity`, `entity_stake`, their histories,
 * `token_account` and the balance snapshots. What belongs to an account (its NFTs, allowances, rewards, ...) is in
 * `account-holdings`.
 */
import type { Route } from '../../api/route.ts';
import { accountById } from './account-by-id.ts';
import { accountList } from './account-list.ts';

export const accountRoutes: readonly Route[] = [accountList, accountById];
