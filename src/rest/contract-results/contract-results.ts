/**
 * The routes of contract results. Reads `contract_result`, `contract_transaction`, `contract_transaction_hash`,
 * `contract_log`, `contract_state_change`, `ethereum_transaction`, `record_file`, `entity` and `file_data`.
 */
import type { Route } from '../../api/route.ts';
import { contractResultByTimestamp, resultByTransaction } from './result-details.ts';
import { contractResultList, resultList } from './result-list.ts';

export const contractResultRoutes: readonly Route[] = [
  resultList,
  resultByTransaction,
  contractResultList,
  contractResultByTimestamp,
];
