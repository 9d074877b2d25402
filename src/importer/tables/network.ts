/** Nodes, stakes, address books, and what else concerns the network as a whole. */
import { inserted, merged, separate } from './definition.ts';
import { kept, stakes, sweptVersions, timedBy } from './retention.ts';

export const networkTables = {
  address_book: separate('address_book', { retention: kept }),
  address_book_entry: separate('address_book_entry', { retention: kept }),
  address_book_service_endpoint: separate('address_book_service_endpoint', { retention: kept }),
  file_data: inserted('file_data', { retention: kept }),
  ledger: merged('ledger', { key: ['ledger_id'], retention: kept }),
  network_freeze: inserted('network_freeze', { retention: timedBy('consensus_timestamp') }),
  network_stake: inserted('network_stake', { retention: stakes }),
  node: merged('node', {
    key: ['node_id'],
    insertOnly: ['created_timestamp'],
    expressions: {
      grpc_proxy_endpoint:
        "case when (s.grpc_proxy_endpoint ->> 'port') = '-1' then null " +
        'else coalesce(s.grpc_proxy_endpoint, e.grpc_proxy_endpoint) end',
    },
    retention: kept,
    history: sweptVersions,
  }),
  node_stake: inserted('node_stake', { retention: stakes }),
  registered_node: merged('registered_node', {
    key: ['registered_node_id'],
    insertOnly: ['created_timestamp'],
    retention: kept,
    history: sweptVersions,
  }),
};
