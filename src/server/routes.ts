/** The REST routes of this process in one table: the listeners, the documentation and the checks walk it. */
import type { Route } from '../api/route.ts';
import { callRoutes } from '../evm/call/call-route.ts';
import { opcodeRoute } from '../evm/opcodes/opcode-routes.ts';
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
import { verificationPaths, verificationTags } from '../verification/http/openapi-paths.ts';
import { verificationSchemas } from '../verification/http/openapi-schemas.ts';
import type { DocumentAdditions } from './openapi.ts';

/** Those that need nothing but the database. */
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

const notServed = (): Promise<never> => Promise.reject(new Error('This route is for the documentation only'));

/** All of them, as the documentation shows them: contract simulation needs threads (contract-simulation.ts). */
export const documentedRoutes: readonly Route[] = [
  ...restRoutes,
  ...callRoutes({ call: notServed, longestDocument: 0 }),
  opcodeRoute(notServed),
];

/** The part of the documentation that is there when contracts can be verified. */
export const documentedVerification: DocumentAdditions = {
  paths: verificationPaths(),
  schemas: verificationSchemas,
  tags: verificationTags,
};
