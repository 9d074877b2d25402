/** Every REST route of this process, in one table: the listeners, the documentation and the checks walk it. */
import type { Route } from '../api/route.ts';
import { accountRoutes } from '../rest/accounts/accounts.ts';
import { balanceRoutes } from '../rest/balances/balances.ts';
import { blockRoutes } from '../rest/blocks/blocks.ts';
import { networkRoutes } from '../rest/network/network-routes.ts';
import { topicMessageRoutes } from '../rest/topic-messages/topic-messages.ts';
import { transactionRoutes } from '../rest/transactions/transactions.ts';

export const restRoutes: readonly Route[] = [
  ...accountRoutes,
  ...balanceRoutes,
  ...blockRoutes,
  ...networkRoutes,
  ...topicMessageRoutes,
  ...transactionRoutes,
];
