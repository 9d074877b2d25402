/** The REST routes that need nothing but the database; each thread that answers requests knows them in this order. */
import type { Route } from '../api/route.ts';
import { feeRoutes } from '../fees/fee-estimate.ts';
import { accountHoldingRoutes } from '../rest/account-holdings/account-holdings.ts';
import { accountRoutes } from '../rest/accounts/accounts.ts';
import { airdropRoutes } from '../rest/airdrops/airdrops.ts';
import { balanceRoutes } from '../rest/balances/balances.ts';
import { blockRoutes } from '../rest/blocks/blocks.ts';
import { contractResultRoutes } from '../rest/contract-results/contract-results.ts';
import { contractRoutes } from '../rest/contracts/contracts.ts';
import { hookRoutes } from '../rest/hooks/hooks.ts';
import { networkRoutes } from '../rest/network/network-routes.ts';
import { scheduleRoutes } from '../rest/schedules/schedules.ts';
import { tokenRoutes } from '../rest/tokens/tokens.ts';
import { topicMessageRoutes } from '../rest/topic-messages/topic-messages.ts';
import { topicRoutes } from '../rest/topics/topics.ts';
import { transactionRoutes } from '../rest/transactions/transactions.ts';

export const restRoutes: readonly Route[] = [
  ...accountHoldingRoutes,
  ...accountRoutes,
  ...airdropRoutes,
  ...balanceRoutes,
  ...blockRoutes,
  ...contractRoutes,
  ...contractResultRoutes,
  ...feeRoutes,
  ...hookRoutes,
  ...networkRoutes,
  ...scheduleRoutes,
  ...tokenRoutes,
  ...topicMessageRoutes,
  ...topicRoutes,
  ...transactionRoutes,
];
