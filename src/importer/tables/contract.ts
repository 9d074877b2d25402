/** Contracts, their calls, logs, traces, storage, and Ethereum transactions. */
import { growing, inserted, merged } from './definition.ts';
import { kept, sweptByTime, timedBy } from './retention.ts';

export const contractTables = {
  contract: inserted('contract', { retention: kept }),
  contract_action: growing('contract_action', { retention: timedBy('consensus_timestamp') }),
  contract_log: growing('contract_log', { retention: timedBy('consensus_timestamp') }),
  contract_result: growing('contract_result', { retention: timedBy('consensus_timestamp'), moves: 'nothing' }),
  contract_state: merged('contract_state', {
    key: ['contract_id', 'slot'],
    insertOnly: ['created_timestamp'],
    expressions: { value: 's.value' },
    combination: {
      repeat: (state, change) => {
        state.value = change.value;
        state.modified_timestamp = change.modified_timestamp;
      },
    },
    retention: kept,
  }),
  contract_state_change: growing('contract_state_change', { retention: timedBy('consensus_timestamp') }),
  contract_transaction: growing('contract_transaction', { retention: timedBy('consensus_timestamp') }),
  contract_transaction_hash: growing('contract_transaction_hash', { retention: sweptByTime }),
  ethereum_transaction: growing('ethereum_transaction', { retention: timedBy('consensus_timestamp') }),
};
