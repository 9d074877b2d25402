/**
 * `/api/v1/network/*`: what concerns the network as a whole. One file per resource; this folder reads the database and
 * writes answers, it does not estimate fees (POST /network/fees) and knows nothing of streams.
 */
import type { Route } from '../../api/route.ts';
import { exchangeRateRoute } from './exchangerate.ts';
import { feesRoute } from './fees.ts';
import { nodesRoute } from './nodes.ts';
import { registeredNodesRoute } from './registered-nodes.ts';
import { stakeRoute } from './stake.ts';
import { supplyRoute } from './supply.ts';

export const networkRoutes: readonly Route[] = [
  exchangeRateRoute,
  feesRoute,
  nodesRoute,
  registeredNodesRoute,
  stakeRoute,
  supplyRoute,
];
