/**
 * The routes of `/api/v1/contracts` that show contracts, their storage, their logs and the actions of a transaction. The
 * results of transactions are in `contract-results`.
 */
import type { Route } from '../../api/route.ts';
import { contractActionList } from './contract-actions.ts';
import { contractById } from './contract-by-id.ts';
import { contractList } from './contract-list.ts';
import { contractLogList, logList } from './contract-logs.ts';
import { contractState } from './contract-state.ts';

export const contractRoutes: readonly Route[] = [
  contractList,
  contractById,
  contractState,
  contractLogList,
  logList,
  contractActionList,
];
