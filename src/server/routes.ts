/** The REST routes of this process in one table: the listeners, the documentation and the checks walk it. */
import type { Route } from '../api/route.ts';
import { callRoutes } from '../evm/call/call-route.ts';
import { opcodeRoute } from '../evm/opcodes/opcode-routes.ts';
import { verificationPaths, verificationTags } from '../verification/http/openapi-paths.ts';
import { verificationSchemas } from '../verification/http/openapi-schemas.ts';
import type { DocumentAdditions } from './openapi.ts';
import { restRoutes } from './rest-routes.ts';

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
